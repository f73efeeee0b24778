// All French messages, one file for each part of the pages. Every other language must have the same shape. Typography: ’ for the
// apostrophe, \u00a0 before : ; ! ? and inside « ».

import { account, sessions } from './account.ts';
import { activity } from './activity.ts';
import { home } from './home.ts';
import { links } from './links.ts';
import { mails } from './mails.ts';
import { newPassword } from './new-password.ts';
import { pages } from './pages.ts';
import { passkeys } from './passkeys.ts';
import { profile } from './profile.ts';

export const fr = {
  ...pages,
  account,
  form: {
    show: 'Afficher',
    showAbout: 'Afficher le mot de passe',
    copy: 'Copier',
    copied: 'Copié',
  },
  activity,
  home,
  links,
  mails,
  newPassword,
  passkeys,
  profile,
  sandbox: {
    label: 'Service d’essai',
    notice: 'Bac à sable\u00a0: service d’essai. Les personnes y sont fictives. N’y saisissez aucune donnée réelle.',
    more: 'En savoir plus',
    signInAs: 'Essayer avec une personne fictive',
    others: 'Toutes les personnes fictives',
    title: 'À propos de ce bac à sable',
    introduction: (service: string) =>
      `Ici, les intégrateurs essaient leurs applications avec ${service}, dans les conditions de la production mais sans personne réelle.`,
    facts: 'Ce qu’il faut savoir',
    rights:
      'Rien de ce qui est signé ici ne vaut pour la production\u00a0: celle-ci a ses propres clés, comptes et jetons.',
    lost: 'Les données peuvent être effacées à tout moment.',
    accounts: 'Se connecter',
    accountsAbout: 'Toutes ces personnes ont le même mot de passe\u00a0:',
    askOperator: 'Demandez un compte d’essai à l’équipe qui gère ce service.',
  },
  workspace: {
    title: 'Où exercez\u2011vous maintenant\u00a0?',
    introduction: (client: string) => `${client} utilisera le lieu d’exercice que vous choisissez.`,
    legend: 'Lieu d’exercice',
    problem: 'Choisissez l’un de ces lieux.',
    submit: 'Continuer',
    change: 'Changer de lieu d’exercice',
    changeAbout:
      'Les applications en tiennent compte dès que vous les ouvrez à nouveau ou qu’elles actualisent votre profil.',
    save: 'Enregistrer',
    changed: 'Votre lieu d’exercice est enregistré',
    stale: 'Cette page n’était plus à jour',
    staleAdvice: 'Aucun choix n’a été enregistré. Choisissez à nouveau.',
  },
  sessions,
};

export type Messages = typeof fr;
