// The French messages of the page with a person's sessions.

export const sessions = {
  about:
    'Les appareils où votre compte est ouvert. Une session se ferme quand vous vous déconnectez, ou d’elle-même après un certain temps.',
  device: (browser: string, system: string) => `${browser} sur ${system}`,
  unknownDevice: 'Appareil inconnu',
  current: 'Cette session',
  signedIn: 'Connexion',
  used: 'Dernière utilisation',
  usedAfter: (time: string) => `après le ${time}`,
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
