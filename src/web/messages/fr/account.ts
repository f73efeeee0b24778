// The French messages of the account pages, and the messages about a second factor, which the sign-in also shows. `index.ts` explains the
// typography.

export const account = {
  navigation: 'Mon compte',
  sections: {
    profile: 'Profil',
    security: 'Sécurité',
    applications: 'Applications',
    sessions: 'Sessions',
    activity: 'Activité',
  },
  introduction: 'Ce que ce service sait de vous et transmet aux applications que vous autorisez.',
  signOut: 'Me déconnecter',
  cancel: 'Annuler',
  stale: 'Cette page n’était plus à jour',
  staleAdvice: 'Par sécurité, rien n’a été modifié. Faites votre choix à nouveau.',
  unsent: 'Votre demande n’a pas été prise en compte',
  unsentAdvice: 'Votre session était fermée, ou votre connexion trop ancienne pour cette page. Recommencez.',
  directory: 'Dans l’annuaire',
  practitioners: (number: number): string => (number === 1 ? 'Fiche professionnelle' : 'Fiches professionnelles'),
  workspaces: (number: number): string => (number === 1 ? 'Lieu d’exercice' : 'Lieux d’exercice'),
  currentWorkspace: 'lieu actuel',
  unlinked: 'Votre compte n’est relié à aucune fiche de l’annuaire.',
  left: 'Cette fiche ne figure plus dans l’annuaire\u00a0: elle n’est plus transmise aux applications.',
  hidden: 'Cette fiche est masquée par l’exploitant de l’annuaire\u00a0: elle n’est pas transmise aux applications.',
  other:
    'Cette fiche porte désormais un autre nom\u00a0: elle n’est plus transmise aux applications jusqu’à vérification.',
  mistake: 'Une information est inexacte\u00a0?',
  mistakeLink: 'Signaler une erreur',
  stateSteps: 'Une deuxième étape protège votre connexion.',
  stateNoSteps: 'Votre mot de passe seul protège votre compte.',
  stateEmail: 'Votre adresse e\u2011mail est confirmée.',
  stateNoEmail: 'Votre adresse e\u2011mail n’est pas encore confirmée.',
  stateDone: 'Vous n’avez rien à faire.',
  steps: 'Vérification en deux étapes',
  stepsOff: 'Désactivée',
  stepsOffAbout:
    'Ajoutez à votre mot de passe un code de votre téléphone\u00a0: un mot de passe volé ne suffira plus pour se connecter à votre place.',
  stepsAdd: 'Ajouter une deuxième étape',
  stepsOn: 'Activée',
  stepsSince: (date: string) => `Un code de votre application d’authentification vous est demandé depuis le ${date}.`,
  stepsEither:
    'Après votre mot de passe, un code de votre application d’authentification ou l’une de vos clés d’accès vous est demandé.',
  codesLeft: (number: number) => {
    if (number === 0) return 'Vous n’avez plus de code de secours\u00a0: créez-en de nouveaux.';
    return number === 1 ? 'Il vous reste un seul code de secours.' : `Il vous reste ${number} codes de secours.`;
  },
  newCodes: 'Créer de nouveaux codes de secours',
  remove: 'Retirer l’application d’authentification',
  setUpIntroduction: 'À chaque connexion, après votre mot de passe, un code de votre téléphone vous sera demandé.',
  missingAdvice: 'Saisissez le code que l’application affiche maintenant.',
  renewTitle: 'Créer de nouveaux codes de secours\u00a0?',
  renewIntroduction: 'Vos codes de secours actuels ne fonctionneront plus.',
  renewSubmit: 'Créer les codes',
  removeTitle: 'Retirer l’application d’authentification\u00a0?',
  removeIntroduction:
    'Votre mot de passe suffira alors pour se connecter. Pour changer de téléphone, retirez l’application, puis ajoutez-la à nouveau.',
  removeKeepsPasskeys: 'Après votre mot de passe, l’une de vos clés d’accès vous sera toujours demandée.',
  removeRequired:
    'Ce service demande deux étapes\u00a0: vous en ajouterez une nouvelle lors de votre prochaine connexion. C’est ainsi que l’on change de téléphone.',
  removeSubmit: 'Retirer',
  appAdded: 'L’application d’authentification est prête',
  appAddedAdvice: 'Vos autres sessions ont été fermées. Vos codes de secours restent valables.',
  removed: 'L’application d’authentification a été retirée',
  codesSaved: {
    app: 'Votre deuxième étape est prête',
    passkey: 'Votre clé d’accès est prête',
    renewed: 'Vos nouveaux codes de secours sont prêts',
  },
  codesSavedAdvice: 'Vos autres sessions ont été fermées. Gardez vos codes de secours à l’abri.',
  removedAdvice: 'Vous pouvez supprimer ce compte dans votre application d’authentification.',
  password: 'Mot de passe',
  securityAbout: 'Ce qui protège votre connexion.',
  passwordSetAt: (date: string) => `Dernière modification le ${date}.`,
  changePassword: 'Changer de mot de passe',
  endSessions: 'Me déconnecter partout ailleurs',
  endSessionsTitle: 'Vous déconnecter partout ailleurs\u00a0?',
  endSessionsAbout:
    'Vos sessions sur d’autres ordinateurs, téléphones et navigateurs seront fermées, et leurs applications perdront leur accès. Celle que vous utilisez reste ouverte ; les applications ouvertes ici peuvent vous redemander de les ouvrir.',
  endSessionsSubmit: 'Me déconnecter ailleurs',
  sessionsEnded: 'Votre compte n’est plus ouvert qu’ici',
  sessionsEndedAdvice: (sessions: number) => {
    if (sessions === 0) return 'Aucune autre session n’était ouverte.';
    return sessions === 1
      ? 'Une autre session a été fermée. Si vous ne la reconnaissez pas, changez aussi de mot de passe.'
      : `${sessions} autres sessions ont été fermées. Si vous ne les reconnaissez pas, changez aussi de mot de passe.`;
  },
  passwordChanged: 'Votre mot de passe a été changé',
  passwordChangedAdvice: 'Vos autres sessions ont été fermées\u00a0: le nouveau mot de passe vous y sera demandé.',
  applicationsTitle: 'Applications autorisées',
  applicationsAbout: 'Ce que chacune peut savoir de vous, ou faire en votre nom.',
  noApplications: 'Vous n’avez donné accès à aucune application.',
  allowedSince: (date: string) => `Accès donné le ${date}`,
  revoke: 'Retirer l’accès',
  revokeAbout:
    'Elle perdra aussitôt l’accès à votre compte. Les données qu’elle a déjà reçues y restent\u00a0; votre accord vous sera demandé si vous l’ouvrez à nouveau.',
  revokeOf: (client: string) => `Retirer l’accès de ${client}`,
  revoked: (client: string) => `${client} n’a plus accès à votre compte`,
  revokedAdvice: 'Votre accord vous sera demandé si vous ouvrez à nouveau cette application.',
  error: {
    again: 'Recommencer',
    expired: {
      title: 'Cette connexion n’est plus valable',
      cause:
        'Elle a duré trop longtemps, elle est déjà terminée, elle a été commencée dans un autre navigateur, ou votre navigateur refuse les cookies.',
      remedy: 'Ouvrez à nouveau votre compte\u00a0: si votre session est encore ouverte, rien ne vous sera demandé.',
    },
    access_denied: {
      title: 'Vous n’êtes pas dans votre compte',
      cause: 'La connexion a été interrompue avant la fin.',
      remedy: 'Vous pouvez la recommencer quand vous le souhaitez. Rien n’a été modifié.',
    },
    refused: {
      title: 'La connexion n’a pas abouti',
      cause: 'Le service de connexion a refusé la demande. Vous n’y êtes pour rien.',
      remedy: 'Recommencez. Si cela se reproduit, communiquez la référence à l’équipe qui gère ce service.',
    },
    foreign_form: {
      title: 'Envoi bloqué',
      cause: 'Ce formulaire ne venait pas de nos pages. Nous l’avons bloqué pour protéger votre compte.',
      remedy: 'Rien n’a été modifié. Vous pouvez reprendre depuis votre compte.',
    },
    shared_account: {
      title: 'Compte partagé',
      cause: 'Ce compte est celui d’une personne fictive, et tous les visiteurs de ce bac à sable l’utilisent.',
      remedy:
        'La façon de s’y connecter ne peut pas être changée. Demandez un compte d’essai à l’équipe qui gère ce service.',
    },
    unusable_form: {
      title: 'Ce formulaire n’a pas pu être lu',
      cause: 'Il contient des informations que ce service ne peut pas lire.',
      remedy: 'Rien n’a été modifié. Reprenez depuis votre compte et saisissez à nouveau vos informations.',
    },
    server_error: {
      title: 'Le service rencontre un problème',
      cause: 'Une erreur de notre côté a interrompu votre demande. Vous n’y êtes pour rien.',
      remedy:
        'Réessayez dans quelques instants. Si cela se reproduit, communiquez la référence à l’équipe qui gère ce service.',
    },
  },
};

/** The messages of the page with a person's sessions. */
export const sessions = {
  about:
    'Les appareils où votre compte est ouvert. Une session se ferme quand vous vous déconnectez, ou d’elle-même après un certain temps.',
  device: (browser: string, system: string) => `${browser} sur ${system}`,
  unknownDevice: 'Appareil inconnu',
  current: 'Cette session',
  signedIn: 'Connexion',
  used: 'Dernière utilisation',
  usedAfter: (time: string) => `${time} ou plus tard`,
  how: 'Moyen de connexion',
  methods: {
    password: 'mot de passe',
    code: 'code à usage unique',
    passkey: 'clé d’accès',
  },
  applications: 'Applications ouvertes',
  noApplications: 'Aucune',
  end: 'Déconnecter cet appareil',
  endOf: (device: string, time: string) => `Déconnecter cet appareil\u00a0: ${device}, connexion du ${time}`,
  others: 'Partout ailleurs',
  othersAbout: 'Toutes vos sessions seront fermées d’un coup, sauf celle que vous utilisez.',
  onlyThis: 'Votre compte n’est ouvert nulle part ailleurs.',
  ended: (device: string) => `La session a été fermée\u00a0: ${device}`,
  endedAdvice:
    'Les applications ouvertes dans cette session n’ont plus accès à votre compte. Un accès que vous avez donné pour plus longtemps se retire à la page «\u00a0Applications\u00a0».',
  notFound: 'Cette session n’est plus ouverte',
  notFoundAdvice: 'Elle s’est fermée entre-temps. Rien d’autre n’a été modifié.',
  notYou: 'Vous ne reconnaissez pas une session\u00a0?',
  notYouAdvice:
    'Quelqu’un connaît peut-être votre mot de passe. Changez-le\u00a0: vos autres sessions seront aussitôt fermées.',
};
