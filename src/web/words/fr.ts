// Owns the French words of all pages; its shape is the catalogue that every other language must fill.
// Does not own which page shows what. Typography: ’ for the apostrophe, \u00a0 before : ; ! ? and inside « ».

export const fr = {
  languageName: 'Français',
  page: {
    skip: 'Aller au contenu',
    otherLanguage: 'Langue',
    support: 'Aide',
    privacy: 'Confidentialité',
    footer: 'Liens utiles',
    tagline: 'Un seul compte pour vos applications de santé.',
    address: (host: string) => `Avant de saisir votre mot de passe, vérifiez l’adresse\u00a0: ${host}`,
    problem: 'Un problème est survenu',
  },
  signIn: {
    title: 'Connexion',
    purpose: 'Pour continuer vers',
    again: 'Pour votre sécurité, confirmez votre identité afin de continuer vers',
    login: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    help: 'Vous n’arrivez pas à vous connecter\u00a0?',
    helpLink: 'Obtenir de l’aide',
    loginMissing: 'Saisissez votre adresse e-mail.',
    passwordMissing: 'Saisissez votre mot de passe.',
    incomplete: 'Il manque une information',
    wrong: 'Connexion impossible',
    wrongAdvice: 'L’adresse e-mail ou le mot de passe est incorrect. Vérifiez-les, puis réessayez.',
    waiting: 'Trop de tentatives',
    waitingAdvice: (time: string) =>
      `Pour protéger les comptes, la connexion est suspendue. Vous pourrez réessayer dans ${time}.`,
    busy: 'Trop de connexions en même temps',
    busyAdvice:
      'Votre mot de passe n’a pas été vérifié. Patientez quelques secondes, saisissez-le et connectez-vous à nouveau.',
    stale: 'Votre page n’était plus à jour',
    staleAdvice: 'Rien n’a été envoyé à votre insu. Saisissez votre mot de passe et connectez-vous à nouveau.',
  },
  consent: {
    title: (client: string) => `Autoriser ${client}\u00a0?`,
    introduction: 'Cette application souhaite utiliser votre compte.',
    reads: 'Elle recevra',
    acts: 'En votre nom, elle pourra',
    signedInAs: 'Session ouverte au nom de',
    otherAccount: 'Utiliser un autre compte',
    allow: 'Autoriser',
    refuse: 'Refuser',
    destination: (place: string) => `Vous reviendrez ensuite vers ${place}.`,
    application: 'l’application sur votre appareil',
    stale: 'Votre page n’était plus à jour',
    staleAdvice: 'Aucun choix n’a été enregistré. Faites votre choix à nouveau.',
  },
  scopes: {
    openid: 'Votre identité professionnelle et votre lieu d’exercice',
    email: 'Votre adresse e-mail',
    profile: 'Votre nom et votre photo',
    offline_access: 'Conserver cet accès lorsque vous n’utilisez pas l’application',
    offlineFor: (time: string) => `Conserver cet accès lorsque vous n’utilisez pas l’application (${time} au plus)`,
    PRACTITIONER_READ: 'Rechercher des professionnels de santé dans l’annuaire',
    ORGANIZATION_READ: 'Rechercher des structures de soins dans l’annuaire',
    other: (scope: string) => `Utiliser l’accès «\u00a0${scope}\u00a0»`,
  },
  signOut: {
    title: 'Vous déconnecter\u00a0?',
    everywhere: (service: string) =>
      `Votre session ${service} sera fermée, et les applications ouvertes avec elle perdront leur accès.`,
    fromClient: (client: string, service: string) =>
      `Vous quittez ${client}. Souhaitez-vous aussi fermer votre session ${service}\u00a0? Les autres applications ouvertes avec elle perdront leur accès.`,
    confirm: (service: string) => `Fermer ma session ${service}`,
    stay: 'Garder ma session ouverte',
    leaveOnly: (client: string) => `Quitter seulement ${client}`,
  },
  signedOut: {
    title: 'Votre session est fermée',
    advice: 'Sur un poste partagé, fermez aussi les fenêtres du navigateur.',
    neverTitle: 'Aucune session n’est ouverte',
    never: (service: string) =>
      `Vous n’êtes pas connecté à ${service} dans ce navigateur\u00a0: il n’y a rien à fermer.`,
    partlyTitle: (client: string) => `Vous avez quitté ${client}`,
    partlyAdvice: (service: string) => `Votre session ${service} reste ouverte pour vos autres applications.`,
  },
  formPost: {
    title: 'Retour à l’application',
    automatic: 'Vous allez être renvoyé vers votre application.',
    withoutScript: 'Votre navigateur n’exécute pas de script\u00a0: appuyez sur Continuer.',
    submit: 'Continuer',
  },
  error: {
    again: 'Reprendre la connexion',
    reference: 'Référence',
    code: 'Code',
    detail: 'Détail technique',
    parameter: 'Paramètre',
    comparison: 'Comparaison avec l’enregistrement',
    differs: (registered: number) =>
      `L’adresse reçue diffère de ${registered === 1 ? 'celle qui est enregistrée' : `la plus proche des ${registered} adresses enregistrées`} par\u00a0:`,
    exactly: 'Les adresses sont comparées caractère par caractère.',
    nothingRegistered: 'Aucune adresse de ce type n’est enregistrée pour cette application.',
    unknownClient: 'Aucune application n’est enregistrée sous ce client_id\u00a0: comparez-le lettre par lettre.',
    integrators: 'Pour les intégrateurs',
    unreadable: 'Ce qui a été reçu n’est pas une adresse complète, avec schéma et hôte.',
    parts: {
      scheme: 'le schéma (http, https)',
      user: 'un nom d’utilisateur devant l’hôte',
      host: 'l’hôte',
      port: 'le port',
      path: 'le chemin',
      slash: 'la barre oblique finale',
      case: 'les majuscules et minuscules',
      query: 'la partie après «\u00a0?\u00a0»',
      fragment: 'la partie après «\u00a0#\u00a0»',
      spelling: 'l’écriture (la même adresse, écrite autrement)',
    },
    invalid_request: {
      title: 'Cette demande de connexion est incorrecte',
      cause: 'L’application nous a transmis une demande incomplète ou mal formée. Vous n’y êtes pour rien.',
      remedy:
        'Retournez à l’application et recommencez. Si cela se reproduit, communiquez la référence à son assistance.',
    },
    invalid_client: {
      title: 'Cette application n’est pas reconnue',
      cause: 'L’application qui vous envoie ici n’est pas enregistrée auprès de ce service.',
      remedy: 'Ne saisissez aucun mot de passe. Vérifiez l’adresse de l’application, puis contactez son assistance.',
    },
    invalid_redirect_uri: {
      title: 'Adresse de retour refusée',
      cause:
        'L’application demande à vous renvoyer vers une adresse qui n’est pas enregistrée. Nous avons arrêté la connexion pour vous protéger.',
      remedy: 'Retournez à l’application par son adresse habituelle. Si cela se reproduit, prévenez son assistance.',
    },
    sign_out: {
      title: 'Cette demande de déconnexion est incorrecte',
      cause: 'L’application a fait une erreur.',
      remedy: 'Si cela se reproduit, communiquez la référence à l’assistance de l’application.',
    },
    sign_out_expired: {
      title: 'Cette page a expiré',
      cause: 'Votre réponse est arrivée trop tard, ou vient d’une autre fenêtre ou d’un autre navigateur.',
      remedy: 'Pour vous déconnecter de l’application, retournez-y et recommencez.',
    },
    stillSignedIn: 'Votre session est toujours ouverte.',
    endSession: 'Fermer ma session',
    notSignedIn: 'Aucune session n’est ouverte dans ce navigateur.',
    expired: {
      title: 'Cette page a expiré',
      cause:
        'La connexion a duré trop longtemps, elle est déjà terminée, ou elle a été commencée dans un autre navigateur.',
      remedy: 'Retournez à l’application et connectez-vous à nouveau. Aucune information n’a été transmise.',
    },
    access_denied: {
      title: 'Accès refusé',
      cause: 'L’accès demandé n’a pas été accordé.',
      remedy: 'Retournez à l’application si vous souhaitez recommencer.',
    },
    foreign_form: {
      title: 'Envoi bloqué',
      cause: 'Ce formulaire ne venait pas de nos pages. Nous l’avons bloqué pour protéger votre compte.',
      remedy: 'Rien n’a été modifié. Vous pouvez reprendre la connexion depuis notre page.',
    },
    unusable_form: {
      title: 'Envoi illisible',
      cause: 'Le formulaire reçu contient des informations que ce service ne peut pas lire.',
      remedy: 'Reprenez la connexion et saisissez à nouveau vos informations.',
    },
    not_found: {
      title: 'Page introuvable',
      cause: 'Il n’y a rien à cette adresse.',
      remedy: 'Vérifiez l’adresse, ou retournez à l’application que vous utilisiez.',
    },
    server_error: {
      title: 'Le service rencontre un problème',
      cause: 'Une erreur de notre côté a interrompu la connexion. Vous n’y êtes pour rien.',
      remedy: 'Réessayez dans quelques instants. Si cela se reproduit, communiquez la référence à l’assistance.',
    },
  },
  home: {
    title: 'Connexion et annuaire des professionnels de santé',
    introduction: (service: string) =>
      `${service} permet aux professionnels de santé d’ouvrir leurs applications avec un seul compte, et à ces applications de consulter l’annuaire.`,
    people: 'Vous exercez dans la santé\u00a0?',
    peopleAdvice: 'Il n’y a rien à faire ici\u00a0: ouvrez votre application et choisissez de vous connecter.',
    developers: 'Pour les intégrateurs',
    demo: 'Application de démonstration',
    demoAbout: 'Se connecter avec un compte fictif et chercher dans l’annuaire.',
    discovery: 'Découverte OpenID Connect',
    discoveryAbout: 'Adresses et capacités du service de connexion.',
    directory: 'Annuaire FHIR STU3',
    directoryAbout: 'Référence de l’API\u00a0: démarrer, critères de recherche, exemples.',
  },
};

/** The words of one language. A key missing in a language is a type error. */
export type Words = typeof fr;
