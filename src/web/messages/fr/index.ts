// All French messages, one file for each part of the pages. Every other language must have the same shape. Typography: ’ is the apostrophe,
// and \u00a0 stands before : ; ! ? and inside « ».

import { account, sessions } from './account.ts';
import { newPassword, passkeys } from './credentials.ts';
import { links } from './links.ts';
import { mails } from './mails.ts';
import { pages } from './pages.ts';
import { activity, profile } from './profile.ts';

export const fr = {
  ...pages,
  account,
  form: {
    show: 'Afficher',
    showAbout: (label: string) => `Afficher\u00a0: ${label}`,
    copy: 'Copier',
    copied: 'Copié',
  },
  activity,
  home: {
    title: 'Connexion et annuaire des professionnels de santé',
    introduction: (service: string) =>
      `${service} permet aux professionnels de santé d’ouvrir leurs applications avec un seul compte, et à ces applications de consulter l’annuaire.`,
    people: 'Vous exercez dans la santé\u00a0?',
    peopleAdvice: 'Pour accéder à vos outils, ouvrez votre application et connectez-vous.',
    account: 'Mon compte',
    accountAbout: 'Profil, sécurité, applications et sessions.',
    developers: 'Pour les intégrateurs',
    demo: 'Application de démonstration',
    demoAbout: 'Se connecter avec un compte fictif et chercher dans l’annuaire.',
    discovery: 'Découverte OpenID Connect',
    discoveryAbout: 'Adresses et fonctions du service de connexion.',
    tryIt: 'Essayer l’annuaire',
    tryItAbout: 'Une requête depuis le navigateur, et le code qui fait la même chose.',
    directory: 'Annuaire FHIR STU3',
    directoryAbout: 'Référence de l’API\u00a0: démarrer, critères de recherche, exemples.',
  },
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
