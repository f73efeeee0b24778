// The French messages about a new password, for the sign-in and the account pages. `index.ts` explains the typography.

export const newPassword = {
  title: 'Choisir un nouveau mot de passe',
  chosenByOperator:
    'Votre mot de passe a été choisi par une autre personne. Choisissez-en un que personne d’autre ne connaît pour accéder à',
  introduction:
    'Votre session reste ouverte ici. Les autres seront fermées, et leurs applications perdront leur accès.',
  current: 'Mot de passe actuel',
  password: 'Nouveau mot de passe',
  again: 'Nouveau mot de passe, à nouveau',
  /** Texts for a person who has no password yet. */
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
