// A dozen fictional people who can sign in to a demonstration, linked to practitioners and structures of the fictional
// edition beside this file (`edition/`). Never loaded in production, but in its sandbox. Runs with `npx knex seed:run` and at `npm start`.

import type { Knex } from 'knex';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import type { NewAccount } from '#store/accounts/account-row.ts';
import { EmailTaken, openAccounts } from '#store/accounts/accounts.ts';

/** The password of every demo account; it opens nothing but a demonstration. */
export const DEMO_PASSWORD = 'demonstration-hygie';

interface DemoAccount extends NewAccount {
  id: string;
  email: string;
  /** What there is to see about this person, for the demo's start page. */
  note: Record<'fr' | 'en', string>;
}

const at = 'demo.example';

export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700001',
    email: `mathilde.duchardey@${at}`,
    name: 'Mathilde Du Chardey',
    given: 'Mathilde',
    family: 'Du Chardey',
    nickname: 'Mathilde',
    practitioners: ['819082680976'],
    workspaces: ['F484000047', 'F694000027', 'F2B4000026'],
    note: { fr: 'Pédiatre, trois structures', en: 'Paediatrician, three structures' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700002',
    email: `loic.pelletier@${at}`,
    name: 'Loïc Pelletier',
    given: 'Loïc',
    family: 'Pelletier',
    nickname: 'Loïc',
    practitioners: ['819071871982'],
    workspaces: ['F844000042', 'R10000000000019'],
    note: { fr: 'Chirurgien', en: 'Surgeon' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700003',
    email: `philippe.routol@${at}`,
    name: 'Philippe Routol',
    given: 'Philippe',
    family: 'Routol',
    practitioners: ['819036355816'],
    workspaces: ['R21903635581601', 'F224000026'],
    note: { fr: 'Médecin généraliste', en: 'General practitioner' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700004',
    email: `elodie.garnier@${at}`,
    name: 'Élodie Garnier',
    given: 'Élodie',
    family: 'Garnier',
    nickname: 'Élodie',
    practitioners: ['819004029187'],
    workspaces: ['F494000029', 'F634000061'],
    note: { fr: 'Infirmière', en: 'Nurse' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700005',
    email: `xavier.vigilin@${at}`,
    name: 'Xavier Vigilin',
    given: 'Xavier',
    family: 'Vigilin',
    practitioners: ['819045721610'],
    workspaces: ['F354000028'],
    note: { fr: 'Pharmacien', en: 'Pharmacist' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700006',
    email: `juliette.thifard@${at}`,
    name: 'Juliette Thifard',
    given: 'Juliette',
    family: 'Thifard',
    practitioners: ['819069963387'],
    workspaces: ['F224000026'],
    note: { fr: 'Sage-femme', en: 'Midwife' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700007',
    email: `louise.monntillon@${at}`,
    name: 'Louise Monntillon',
    given: 'Louise',
    family: 'Monntillon',
    practitioners: ['819054320981'],
    workspaces: ['R21905432098101'],
    note: { fr: 'Masseuse-kinésithérapeute', en: 'Physiotherapist' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700008',
    email: `didier.robin@${at}`,
    name: 'Didier Robin',
    given: 'Didier',
    family: 'Robin',
    practitioners: ['819109032029'],
    workspaces: ['R21910903202902', 'F764000048'],
    note: { fr: 'Chirurgien-dentiste', en: 'Dental surgeon' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700009',
    email: `melanie.chambon@${at}`,
    name: 'Mélanie Chambon',
    given: 'Mélanie',
    family: 'Chambon',
    practitioners: ['819092962646'],
    workspaces: ['F494000029', 'F684000029'],
    note: { fr: 'Psychologue', en: 'Psychologist' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700010',
    email: `lucie.manntossois@${at}`,
    name: 'Lucie Manntossois',
    given: 'Lucie',
    family: 'Manntossois',
    practitioners: ['819090878984'],
    workspaces: ['R10000000000081'],
    note: { fr: 'Orthophoniste', en: 'Speech therapist' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700011',
    email: `camille.secretariat@${at}`,
    name: 'Camille Aubert',
    given: 'Camille',
    family: 'Aubert',
    workspaces: ['F494000029'],
    note: { fr: 'Secrétariat médical, sans fiche de professionnel', en: 'Medical secretary, in no directory entry' },
  },
  {
    id: '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700012',
    email: `ancien.compte@${at}`,
    name: 'Compte désactivé',
    note: { fr: 'Compte désactivé\u00a0: la connexion est refusée', en: 'Disabled account: sign-in is refused' },
  },
];

/** Knex' name for it. Accounts that exist are left as they are. */
export async function seed(knex: Knex): Promise<void> {
  const { NODE_ENV, HYGIE_SANDBOX } = process.env;
  if (NODE_ENV === 'production' && HYGIE_SANDBOX !== '1') throw new Error('demo accounts are not for production');
  const accounts = openAccounts(knex);
  const passwordHash = await hashSecret(DEMO_PASSWORD);
  for (const { note: _note, ...account } of DEMO_ACCOUNTS) {
    try {
      await accounts.create([{ ...account, emailVerified: true, passwordHash }]);
      if (account.name === 'Compte désactivé') await accounts.update(account.id, { status: 'disabled' });
    } catch (error) {
      // Its id is taken where another instance fills the same database at this moment.
      if (!(error instanceof EmailTaken || (await accounts.find(account.id)))) throw error;
    }
  }
}
