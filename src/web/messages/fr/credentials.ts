// The French messages about a new password and about passkeys, for the sign-in and the account pages. `index.ts` explains the typography.

export const newPassword = {
  title: 'Choisir un nouveau mot de passe',
  chosenByOperator:
    'Votre mot de passe a été choisi par une autre personne. Choisissez-en un que personne d’autre ne connaît pour accéder à',
  introduction:
    'Votre session reste ouverte ici. Les autres seront fermées, et leurs applications perdront leur accès.',
  current: 'Mot de passe actuel',
  password: 'Nouveau mot de passe',
  again: 'Nouveau mot de passe, à nouveau',
  /** Texts for the first password of a person. */
  first: {
    password: 'Mot de passe',
    again: 'Mot de passe, à nouveau',
    submit: 'Ouvrir mon compte',
  },
  ruleOfLength: (least: string) =>
    `${least}\u00a0caractères au moins\u00a0: plusieurs mots sans rapport entre eux se retiennent bien.`,
  ruleOfCommon:
    'Ni courant, ni déjà divulgué sur Internet\u00a0: ce service le vérifie lui-même, sans le transmettre à personne.',
  ruleOfPersonal: 'Ni votre nom, ni votre adresse e\u2011mail.',
  strength: {
    short: (least: string) => `Trop court\u00a0: {n} sur ${least}\u00a0caractères`,
    personal: 'Trop facile à deviner\u00a0: c’est votre nom ou votre adresse',
    simple: 'Trop facile à deviner\u00a0: une suite ou une répétition',
    fair: 'Correct\u00a0: un mot de plus le rendrait solide',
    good: 'Solide',
    strong: 'Très solide',
  },
  submit: 'Enregistrer ce mot de passe',
  incomplete: 'Il manque des informations',
  missing: {
    password: 'Saisissez votre mot de passe actuel.',
    'new-password': 'Saisissez le mot de passe que vous choisissez.',
    'new-password-again': 'Saisissez-le une deuxième fois.',
  },
  problem: {
    different: {
      title: 'Les deux mots de passe sont différents',
      advice: 'Saisissez deux fois le même.',
    },
    same: {
      title: 'C’est déjà votre mot de passe',
      advice: 'Choisissez-en un autre.',
    },
    'too-short': { title: 'Ce mot de passe est trop court', advice: 'Allongez-le\u00a0: ajoutez un mot ou deux.' },
    'too-long': {
      title: 'Ce mot de passe est trop long',
      advice: 'Raccourcissez-le\u00a0: 256\u00a0caractères au plus.',
    },
    common: {
      title: 'Ce mot de passe est trop facile à deviner',
      advice: 'Il est courant, ou déjà connu des pirates. Choisissez plutôt plusieurs mots sans rapport entre eux.',
    },
    personal: {
      title: 'Ce mot de passe est trop facile à deviner',
      advice: 'Il reprend votre nom ou votre adresse e\u2011mail. Choisissez-en un autre.',
    },
    wrong: {
      title: 'Mot de passe actuel incorrect',
      advice: 'Rien n’a été modifié. Saisissez-le à nouveau.',
    },
    stale: {
      title: 'Cette page n’était plus à jour',
      advice: 'Par sécurité, rien n’a été modifié. Saisissez à nouveau votre nouveau mot de passe.',
    },
    busy: {
      title: 'Trop de connexions en même temps',
      advice: 'Rien n’a été modifié. Patientez quelques secondes, puis réessayez.',
    },
  },
};

export const passkeys = {
  signIn: 'Utiliser une clé d’accès',
  secondStep: 'Utiliser une clé d’accès',
  secondStepTitle: 'Deuxième étape',
  secondStepAbout:
    'Confirmez que c’est bien vous, avec votre clé d’accès\u00a0: celle de cet appareil, ou celle de votre téléphone, qui scanne alors un code QR affiché par le navigateur.',
  unavailable:
    'Votre clé d’accès ne peut pas être utilisée ici\u00a0: il faut un navigateur récent, avec JavaScript activé. Vous pouvez saisir un code de secours.',
  refused: 'Clé d’accès refusée',
  refusedAdvice: 'Nous n’avons pas pu la vérifier. Réessayez, ou connectez-vous d’une autre façon.',
  stale: 'Cette page n’était plus à jour',
  staleAdvice: 'Par sécurité, rien n’a été pris en compte. Utilisez à nouveau votre clé d’accès.',
  offer: {
    title: 'Plus vite, sans mot de passe',
    about:
      'Avec une clé d’accès, vous vous connecterez ici comme vous déverrouillez cet appareil\u00a0: par empreinte, visage ou code.',
    later: 'Pas maintenant',
    laterAbout: 'Après «\u00a0Pas maintenant\u00a0», rien ne vous sera proposé ici pendant 30\u00a0jours.',
    shared: 'C’est un poste partagé',
  },
  title: 'Clés d’accès',
  about:
    'Une clé d’accès vous connecte sans mot de passe\u00a0: vous déverrouillez votre appareil, par empreinte, visage ou code. Elle ne fonctionne que sur ce site\u00a0: un site qui l’imite ne peut pas la voler.',
  none: 'Vous n’avez pas encore de clé d’accès.',
  yours: 'Vos clés d’accès',
  manage: 'Gérer mes clés d’accès',
  addFirst: 'Ajouter une clé d’accès',
  add: 'Créer une clé d’accès',
  addAbout:
    'Votre appareil ou votre gestionnaire de mots de passe la garde. Vous pouvez aussi en créer une sur votre téléphone ou sur une clé de sécurité.',
  addSecondStep: 'Ensuite, votre mot de passe seul ne suffira plus, sur aucun ordinateur.',
  elsewhere: 'Ailleurs que sur cet appareil, vous pourrez\u00a0:',
  elsewhereList: [
    'utiliser la clé d’accès de votre téléphone, en scannant le code QR que l’ordinateur affiche',
    'saisir un code de votre application d’authentification, si vous en avez une',
    'saisir l’un des codes de secours qui vont vous être donnés',
  ],
  addWithoutScript:
    'Ce navigateur ne permet pas de créer une clé d’accès\u00a0: il est trop ancien, ou JavaScript y est désactivé.',
  impossible: 'Les clés d’accès ne fonctionnent pas ici\u00a0: l’adresse de ce service n’est pas un nom de site.',
  exists: 'Cet appareil a déjà une clé d’accès pour votre compte.',
  failed: 'La clé d’accès n’a pas été créée',
  failedAdvice: 'Nous n’avons pas pu vérifier la réponse de votre navigateur. Réessayez.',
  waiting: 'Trop d’essais',
  waitingAdvice: (until: string, time: string) =>
    `La clé d’accès n’a pas été créée. Vous pourrez réessayer à ${until} (dans ${time}).`,
  tooMany: 'Vous avez déjà beaucoup de clés d’accès',
  tooManyAdvice: (most: number) => `Un compte peut en avoir ${most} au plus. Supprimez celles qui ne servent plus.`,
  defaultName: 'Clé d’accès',
  created: (date: string) => `Créée le ${date}`,
  used: (time: string) => `utilisée ${time}`,
  neverUsed: 'jamais utilisée',
  synced: 'synchronisée entre vos appareils',
  rename: 'Renommer',
  renameOf: (name: string) => `Renommer «\u00a0${name}\u00a0»`,
  name: 'Nom',
  nameOf: (name: string) => `Nouveau nom de «\u00a0${name}\u00a0»`,
  nameMissing: 'Donnez-lui un nom.',
  save: 'Enregistrer le nom',
  remove: 'Supprimer',
  removeAbout:
    'Elle n’ouvrira plus votre compte, et vos autres sessions seront fermées. Supprimez-la aussi de votre appareil.',
  removeSubmit: (name: string) => `Supprimer «\u00a0${name}\u00a0»`,
  last: 'C’est votre seule façon de vous connecter',
  lastAdvice: 'Votre compte n’a pas de mot de passe. Créez d’abord une autre clé d’accès.',
  added: (name: string) => `La clé d’accès «\u00a0${name}\u00a0» est prête`,
  addedAdvice: 'Utilisez-la dès votre prochaine connexion. Vos autres sessions ont été fermées.',
  renamed: 'Le nom est enregistré',
  renamedAdvice: 'Il n’est visible que par vous.',
  removed: (name: string) => `La clé d’accès «\u00a0${name}\u00a0» a été supprimée`,
  removedAdvice: 'Vos autres sessions ont été fermées.',
  stepsOn: 'Après votre mot de passe, l’une de vos clés d’accès vous est demandée.',
  stepsInOne: 'Votre clé d’accès réunit deux étapes\u00a0: votre appareil, et ce qui le déverrouille.',
  addApp: 'Ajouter une application d’authentification',
  noPassword: 'Votre compte n’a pas de mot de passe\u00a0: vous vous connectez avec une clé d’accès.',
};
