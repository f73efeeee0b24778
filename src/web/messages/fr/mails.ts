// The French mails. `index.ts` explains the typography.

const lifetime = (duration: string) => `Ce lien est valable ${duration} et ne sert qu’une fois.`;

export const mails = {
  greeting: (name: string) => `Bonjour ${name},`,
  /** Label before a link in plain text. */
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
    subject: (service: string) => `Votre accès${service && ` à ${service}`}`,
    lead: (service: string, email: string) =>
      `Un accès à ${service} a été créé pour vous, avec l’adresse ${email}. Pour vous en servir, choisissez votre mot de passe.`,
    action: 'Choisir mon mot de passe',
    lifetime: (duration: string) => `${lifetime(duration)} Passé ce délai, demandez une nouvelle invitation.`,
    unexpected:
      'Vous n’attendiez pas cette invitation\u00a0? Ne faites rien\u00a0: sans mot de passe, l’accès reste fermé.',
  },
  'password-reset': {
    subject: (service: string) => `Choisir un nouveau mot de passe${service && ` pour ${service}`}`,
    lead: (service: string, email: string) =>
      `Un nouveau mot de passe a été demandé pour votre compte ${email} sur ${service}. Choisissez-le ici\u00a0:`,
    action: 'Choisir un nouveau mot de passe',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien\u00a0: votre mot de passe reste le même.',
  },
  'email-verification': {
    subject: (service: string) => `Confirmez votre adresse e-mail${service && ` pour ${service}`}`,
    lead: (service: string, email: string) =>
      `Confirmez que l’adresse ${email} de votre compte ${service} est bien la vôtre.`,
    action: 'Confirmer mon adresse',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien.',
  },
  'email-change': {
    subject: (service: string) => `Confirmez votre nouvelle adresse e-mail${service && ` pour ${service}`}`,
    lead: (service: string, email: string) =>
      `Vous avez demandé que l’adresse de votre compte ${service} devienne ${email}. Elle change dès que vous le confirmez.`,
    action: 'Confirmer ma nouvelle adresse',
    lifetime,
    unexpected: 'Vous n’avez rien demandé\u00a0? Ne faites rien\u00a0: aucune adresse ne change.',
  },
  test: {
    subject: (service: string) => `Essai d’envoi${service && ` de ${service}`}`,
    lead: (service: string) => `Si vous lisez ce message, ${service} peut envoyer des e-mails.`,
  },
  operator: {
    directory: {
      subject: 'La nouvelle édition de l’annuaire a été refusée',
      lead: 'Une édition du dossier surveillé a été refusée. L’annuaire n’a pas changé. Les raisons\u00a0:',
      remedy:
        'La commande «\u00a0directory status\u00a0» en dit plus. Déposez une bonne édition dans le dossier, ou importez celle-ci avec --accept si elle est voulue.',
    },
    backup: {
      subject: 'Une sauvegarde a échoué',
      lead: 'Une sauvegarde n’a pas été faite, ou pas vérifiée\u00a0: ne comptez pas sur elle. La commande a dit\u00a0:',
      remedy: 'Corrigez la cause, faites une nouvelle sauvegarde, et faites-la vérifier.',
    },
  },
  notice: {
    subjects: {
      'account.password-changed': 'Votre mot de passe a été changé',
      'account.password-reset': 'Votre mot de passe a été changé',
      'account.password-set': 'Votre mot de passe a été remplacé',
      'passkey.added': 'Une clé d’accès a été ajoutée à votre compte',
      'passkey.removed': 'Une clé d’accès a été supprimée',
      'second-factor.added': 'Application d’authentification ajoutée à votre compte',
      'second-factor.removed': 'Application d’authentification retirée',
      'recovery-codes.renewed': 'De nouveaux codes de secours ont été créés',
      'recovery-code.used': 'Un code de secours a été utilisé',
      'account.email-changed': 'Votre adresse e-mail a été changée',
      'sign-in.new-device': 'Connexion depuis un nouvel appareil',
      'account.deletion-requested': 'Suppression de votre compte demandée',
      'account.deletion-withdrawn': 'Votre compte ne sera pas supprimé',
      'account.deleted': 'Votre compte a été supprimé',
    },
    leads: {
      'account.password-changed': 'Le mot de passe de votre compte a été changé. Vos autres sessions ont été fermées.',
      'account.password-reset':
        'Le mot de passe de votre compte a été changé grâce au lien reçu par e-mail. Toutes vos sessions ont été fermées.',
      'account.password-set':
        'L’équipe qui gère le service a choisi un nouveau mot de passe pour votre compte. Toutes vos sessions ont été fermées.',
      'passkey.added': 'Une clé d’accès permet désormais de se connecter à votre compte sans mot de passe.',
      'passkey.removed': 'Une clé d’accès ne permet plus de se connecter à votre compte.',
      'second-factor.added': 'En plus de votre mot de passe, un code de cette application vous sera demandé.',
      'second-factor.removed': 'Pour vous connecter, un code de cette application ne vous sera plus demandé.',
      'recovery-codes.renewed': 'Vos anciens codes de secours ne fonctionnent plus.',
      'recovery-code.used':
        'Un de vos codes de secours a servi à la place de votre deuxième étape habituelle. Il ne fonctionne plus.',
      'account.email-changed':
        'Votre compte a désormais une autre adresse e-mail. Ce message est le dernier envoyé à celle-ci.',
      'sign-in.new-device': 'Une connexion à votre compte a eu lieu depuis un appareil que nous ne connaissions pas.',
      'account.deletion-requested':
        'Quelqu’un a demandé la suppression de votre compte. Tant qu’elle n’est pas faite, vous pouvez annuler cette demande dans votre compte.',
      'account.deletion-withdrawn': 'La demande de suppression de votre compte a été annulée.',
      'account.deleted': 'Votre compte et ce qu’il contenait ont été supprimés. Il ne permet plus de se connecter.',
    },
    byOperator: 'Ce changement a été fait par l’équipe qui gère le service.',
    wasYou: 'C’était vous\u00a0? Vous n’avez rien à faire.',
    notYou: (place: string) =>
      `Ce n’était pas vous\u00a0? Ouvrez votre compte (tapez ${place} dans votre navigateur), changez votre mot de passe, fermez vos autres sessions, et prévenez l’équipe qui gère le service.`,
    /** Text for a person who can no longer use the account pages. */
    notYouTell: 'Ce n’était pas vous\u00a0? Prévenez sans attendre l’équipe qui gère le service.',
    noLink: 'Par sécurité, ce message ne contient aucun lien.',
  },
};
