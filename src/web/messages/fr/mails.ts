// The French mails. Typography as in `index.ts`.

const lifetime = (duration: string) => `Ce lien est valable ${duration} et ne sert qu’une fois.`;

export const mails = {
  greeting: (name: string) => `Bonjour ${name},`,
  /** Before a link in plain text. */
  linkBelow: (label: string) => `${label}\u00a0:`,
  linkAlternative: 'Si le bouton ne répond pas, copiez cette adresse dans votre navigateur\u00a0:',
  footer: (service: string, host: string) =>
    `${service} (${host}). Message automatique\u00a0: personne ne lit les réponses.`,
  footerAnswered: (service: string, host: string) => `${service} (${host}). Message automatique.`,
  help: (address: string) => `Une question\u00a0? ${address}`,
  askTeam: (service: string) =>
    `Une question\u00a0? Adressez-vous à l’équipe qui gère ${service} dans votre établissement.`,
  outbox: {
    title: 'Boîte d’envoi',
    about: 'En développement, sans serveur de messagerie, les e-mails s’arrêtent ici.',
    empty: 'Aucun e-mail pour le moment.',
    note: 'En développement, cet e-mail se trouve ici\u00a0:',
    asHtml: 'Voir la version HTML',
    all: 'Tous les e-mails',
  },
  device: 'Appareil',
  time: 'Date',
  account: 'Compte',
  invitation: {
    subject: (service: string) => `Votre accès à ${service}`,
    lead: (service: string, email: string) =>
      `Un accès à ${service} a été créé pour vous, avec l’adresse ${email}. Pour vous en servir, choisissez votre mot de passe.`,
    action: 'Choisir mon mot de passe',
    lifetime: (duration: string) => `${lifetime(duration)} Passé ce délai, demandez une nouvelle invitation.`,
    unexpected:
      'Vous n’attendiez pas cette invitation\u00a0? Ne faites rien\u00a0: sans mot de passe, l’accès reste fermé.',
  },
  'password-reset': {
    subject: (service: string) => `Choisir un nouveau mot de passe pour ${service}`,
    lead: (service: string, email: string) =>
      `Un nouveau mot de passe a été demandé pour votre compte ${email} sur ${service}. Choisissez-le ici\u00a0:`,
    action: 'Choisir un nouveau mot de passe',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien\u00a0: votre mot de passe reste le même.',
  },
  'email-verification': {
    subject: (service: string) => `Confirmez votre adresse e-mail pour ${service}`,
    lead: (service: string, email: string) =>
      `Confirmez que l’adresse ${email} de votre compte ${service} est bien la vôtre.`,
    action: 'Confirmer mon adresse',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien.',
  },
  'email-change': {
    subject: (service: string) => `Confirmez votre nouvelle adresse e-mail pour ${service}`,
    lead: (service: string, email: string) =>
      `Vous avez demandé que l’adresse de votre compte ${service} devienne ${email}. Elle change dès que vous le confirmez.`,
    action: 'Confirmer ma nouvelle adresse',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien\u00a0: aucune adresse ne change.',
  },
  test: {
    subject: (service: string) => `Essai d’envoi de ${service}`,
    lead: (service: string) => `Si vous lisez ce message, ${service} peut envoyer des e-mails.`,
  },
  notice: {
    subjects: {
      'account.password-changed': 'Votre mot de passe a été changé',
      'account.password-reset': 'Votre mot de passe a été changé',
      'account.password-set': 'Un mot de passe a été défini pour votre compte',
      'passkey.added': 'Une clé d’accès a été ajoutée à votre compte',
      'passkey.removed': 'Une clé d’accès a été retirée de votre compte',
      'second-factor.added': 'La vérification en deux étapes est activée',
      'second-factor.removed': 'La vérification en deux étapes est désactivée',
      'recovery-codes.renewed': 'De nouveaux codes de secours ont été créés',
      'recovery-code.used': 'Un code de secours a été utilisé',
      'account.email-changed': 'L’adresse e-mail de votre compte a été changée',
      'sign-in.new-device': 'Connexion depuis un nouvel appareil',
      'account.deletion-requested': 'La suppression de votre compte a été demandée',
      'account.deletion-withdrawn': 'Votre compte ne sera pas supprimé',
      'account.deleted': 'Votre compte a été supprimé',
    },
    leads: {
      'account.password-changed': 'Le mot de passe de votre compte a été changé. Vos autres sessions sont fermées.',
      'account.password-reset':
        'Le mot de passe de votre compte a été changé grâce au lien reçu par e-mail. Toutes vos sessions sont fermées.',
      'account.password-set':
        'L’équipe qui gère le service a défini un mot de passe pour votre compte. Toutes vos sessions sont fermées.',
      'passkey.added': 'Une clé d’accès permet désormais de se connecter à votre compte sans mot de passe.',
      'passkey.removed': 'Une clé d’accès ne permet plus de se connecter à votre compte.',
      'second-factor.added': 'En plus du mot de passe, un code de votre application d’authentification est demandé.',
      'second-factor.removed':
        'Le code de votre application d’authentification n’est plus demandé, et vos codes de secours ne sont plus valables.',
      'recovery-codes.renewed':
        'Seuls les nouveaux codes de secours de votre compte sont valables\u00a0; les anciens ne le sont plus.',
      'recovery-code.used':
        'Un code de secours a remplacé celui de votre application d’authentification. Il n’est plus valable.',
      'account.email-changed':
        'Votre compte a désormais une autre adresse e-mail. C’est le dernier message que vous recevez à celle-ci.',
      'sign-in.new-device': 'Une connexion à votre compte a eu lieu depuis un appareil que nous ne connaissions pas.',
      'account.deletion-requested':
        'Quelqu’un a demandé la suppression de votre compte. Tant qu’elle n’est pas faite, vous pouvez y renoncer dans votre espace personnel.',
      'account.deletion-withdrawn': 'La demande de suppression de votre compte a été retirée.',
      'account.deleted': 'Votre compte et ce qu’il contenait ont été supprimés. Il ne permet plus de se connecter.',
    },
    byOperator: 'Ce changement a été fait par l’équipe qui gère le service.',
    wasYou: 'C’était vous\u00a0? Vous n’avez rien à faire.',
    notYou: (place: string) =>
      `Ce n’était pas vous\u00a0? Ouvrez votre espace personnel (tapez ${place} dans votre navigateur), changez votre mot de passe, fermez vos autres sessions, et prévenez l’équipe qui gère le service.`,
    /** Where the person can no longer help themselves. */
    notYouTell: 'Ce n’était pas vous\u00a0? Prévenez sans attendre l’équipe qui gère le service.',
    noLink: 'Par sécurité, ce message ne contient aucun lien.',
  },
};
