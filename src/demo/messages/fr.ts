// The French messages of the demo. They have the shape of `en.ts`.

import { directoryFr } from './directory-fr.ts';
import type { Messages } from './en.ts';

export const fr: Messages = {
  language: { name: 'Français', tag: 'fr' },
  brand: 'Mirabelle',
  invented:
    'Pour essayer\u00a0: cette application est inventée, comme toutes les personnes qui y figurent. N’y saisissez aucune donnée réelle.',
  skip: 'Aller au contenu',
  nav: {
    label: 'Principale',
    steps: 'Ma connexion',
  },
  signIn: 'Se connecter avec Hygie',
  signInAgain: 'Se reconnecter',
  signOut: 'Se déconnecter',
  toStart: 'Retour à l’accueil',
  moment: { locale: 'fr', between: ' à ', hours: '\u00a0h\u00a0' },
  start: {
    title: 'Une connexion, vue de l’autre côté',
    lead: 'Mirabelle tient la place de votre application. Elle ne connaît de Hygie que ses adresses publiques\u00a0: elle y envoie les personnes se connecter, apprend qui elles sont et cherche en leur nom dans l’annuaire des professionnels de santé. Après chaque connexion, elle montre tous les messages échangés.',
    signedIn: (name) => `Session ouverte au nom de ${name}.`,
    toSearch: 'Chercher dans l’annuaire',
    signedOut: 'La déconnexion est faite\u00a0: votre session est fermée ici et chez Hygie.',
    ended: 'Hygie a fermé votre session.',
    toEnding: 'Voir le jeton de déconnexion',
    server: {
      title: 'Depuis un serveur',
      text: 'Express garde les jetons dans une session\u00a0; openid-client parle OpenID Connect, fhir-kit-client parle FHIR. Le client s’authentifie par son secret et, en plus, par PKCE.',
      code: 'Le code à copier\u00a0:',
    },
    browser: {
      title: 'Dans le navigateur seulement',
      text: 'La page d’essai de l’annuaire n’a aucun serveur derrière elle. Code d’autorisation avec PKCE, sans secret\u00a0; le jeton ne quitte pas l’onglet.',
      open: 'Essayer l’annuaire',
      code: 'Le code à copier\u00a0:',
    },
    stepsTitle: 'Sept étapes, que vous verrez une par une',
    accountsTitle: 'Les comptes pour essayer',
    accountsLead: 'Ces personnes sont inventées, l’annuaire aussi.',
    onePassword: 'Le même mot de passe pour tout le monde\u00a0:',
    account: { name: 'Nom', login: 'Adresse e-mail', password: 'Mot de passe', note: 'À savoir' },
  },
  steps: {
    title: (name) => `Bienvenue, ${name}`,
    newcomer: 'C’est votre première visite chez Mirabelle\u00a0: elle vient d’ouvrir un dossier sous votre uuid.',
    returning: 'Mirabelle vous connaît déjà, par votre uuid.',
    remaining: (minutes) =>
      minutes > 0 ? `Le jeton d’accès est valable encore ${minutes}\u00a0min.` : 'Le jeton d’accès a expiré.',
    who: {
      title: 'À qui est la session',
      uuid: 'uuid',
      email: 'Adresse e-mail',
      verified: 'vérifiée',
      unverified: 'non vérifiée',
      identities: 'Identités',
      workspace: 'Lieu d’exercice actuel',
      none: 'Non renseigné',
      missing: 'absent de l’annuaire, ou hors de portée de ce jeton',
      api: 'Annuaire',
    },
    shell: {
      title: 'En ligne de commande',
      lead: 'Avec votre propre jeton, en entier\u00a0; le second cadre l’essaie. Mirabelle et ses personnages sont inventés\u00a0; une vraie application ne montre un jeton à personne.',
      set: 'Jeton et adresse de l’annuaire, pour un shell POSIX',
      ask: 'Une première recherche',
    },
    happened: 'Ce qui vient de se passer',
    happenedLead:
      'Ce sont les vrais messages. Codes, jetons et autres valeurs aléatoires sont raccourcis, le secret est masqué.',
    list: [
      {
        title: 'L’application redirige le navigateur',
        text: 'Vers l’adresse d’autorisation, avec un state aléatoire de 43 caractères, un nonce et les permissions demandées.',
      },
      {
        title: 'Le service renvoie le navigateur',
        text: 'Après la connexion et l’accord de la personne, à l’adresse enregistrée, avec un code éphémère et le même state.',
      },
      {
        title: 'L’application vérifie le state',
        text: 'Identique\u00a0: cette réponse est bien celle de la demande faite par ce navigateur. Toute autre serait rejetée.',
      },
      {
        title: 'L’application échange le code',
        text: 'De serveur à serveur, une seule fois, avec son secret et le vérificateur PKCE. Elle reçoit un jeton d’accès et un jeton d’identité.',
      },
      {
        title: 'L’application lit qui est la personne',
        text: 'Dans le jeton d’identité, dont la signature, l’émetteur, le destinataire, le nonce et la durée ont été vérifiés\u00a0; ou en interrogeant userinfo. Les deux disent la même chose.',
      },
      {
        title: 'L’application ouvre sa propre session',
        text: 'Un cookie de session neuf, à elle. La personne est reconnue à son uuid\u00a0; une personne inconnue serait menée à l’inscription de l’application.',
      },
    ],
    later: {
      title: 'Le service ferme la session depuis ailleurs',
      text: 'Fermez-la ailleurs, par exemple dans votre compte, page «\u00a0Sessions\u00a0»\u00a0: Hygie envoie un jeton de déconnexion à cette adresse. Mirabelle le vérifie, ferme aussitôt sa propre session et vous montre le jeton.',
      toAccount: 'Ouvrir mon compte Hygie',
    },
    contents: 'Sur cette page',
    messages: 'Les messages',
    code: (file, first) => `Le code\u00a0: ${file}, à partir de la ligne ${first}`,
    secondFactor: {
      title: 'Se reconnecter avec un second facteur',
      text: 'Pour ce qui demande plus de certitude, Mirabelle exige un second facteur par le paramètre claims et lit acr dans le jeton d’identité. Qui n’en a pas en ajoute un au passage.',
      had: 'Cette connexion a demandé un second facteur.',
      submit: 'Se connecter avec un second facteur',
    },
    claims: {
      title: 'Le jeton d’identité et userinfo, côte à côte',
      claim: 'Attribut',
      idToken: 'Jeton d’identité',
      userinfo: 'userinfo',
      absent: '-',
    },
  },
  ended: {
    title: 'Hygie a fermé votre session',
    lead: (moment) =>
      `Hygie en a informé Mirabelle le ${moment}, de serveur à serveur, et Mirabelle a fermé sa propre session. Votre navigateur n’y était pour rien.`,
    happened: 'Les étapes de cette déconnexion',
    happenedLead: 'Le jeton est le vrai, décodé. Sa signature est raccourcie.',
    list: [
      {
        title: 'Le service envoie un jeton de déconnexion',
        text: 'Par un POST à l’adresse enregistrée de l’application. Sans réponse 200 ou 204, il essaie de nouveau pendant un jour.',
      },
      {
        title: 'L’application vérifie le jeton',
        text: 'La signature, avec les clés publiques du service, puis chaque attribut. Un jeton qui ne convient pas est refusé par une réponse 400, et rien ne change.',
      },
      {
        title: 'L’application ferme sa propre session',
        text: 'Celle du même sid, avec ses jetons. À la prochaine requête de ce navigateur, la personne n’est plus reconnue.',
      },
    ],
    claims: {
      title: 'Ce que dit le jeton de déconnexion',
      value: 'Valeur',
      meaning: 'Ce que l’application vérifie',
      absent: 'absent',
    },
    meanings: {
      typ: 'Dans l’en-tête\u00a0: ce n’est ni un jeton d’identité, ni un jeton d’accès.',
      iss: 'L’émetteur est bien Hygie.',
      aud: 'Le jeton est destiné à cette application.',
      iat: (moment) => `Émis le ${moment}\u00a0: il y a quelques minutes au plus.`,
      exp: (moment) => `Valable jusqu’au ${moment}.`,
      jti: 'Jamais reçu auparavant\u00a0: un jeton ne sert qu’une fois.',
      events: 'L’événement est une déconnexion.',
      sub: 'La personne dont la session a été fermée.',
      sid: 'La session qui a été fermée, comme dans le jeton d’identité de l’étape 5.',
      nonce: 'Interdit ici\u00a0: ainsi, un jeton d’identité ne peut passer pour un jeton de déconnexion.',
    },
  },
  directory: directoryFr,
  problem: {
    state: {
      title: 'Cette réponse n’est pas fiable',
      text: 'Le state reçu n’est pas celui que ce navigateur avait envoyé. Soit la connexion a commencé ailleurs ou il y a longtemps, soit quelqu’un a tenté de vous glisser la sienne. Rien n’a été échangé.',
    },
    cancelled: {
      title: 'Pas de connexion',
      text: 'Vous avez annulé. Mirabelle n’a rien appris de vous\u00a0; vous pouvez recommencer quand vous voulez.',
      said: 'Ce que dit le service',
    },
    secondFactor: {
      title: 'Il manque un second facteur',
      text: 'Mirabelle en demandait un, et le jeton d’identité ne dit pas qu’il y en a eu. Aucune session n’est donc ouverte.',
    },
    refused: { title: 'Pas de connexion', text: 'Le service vous renvoie ici sans connexion. Il dit\u00a0:' },
    exchange: {
      title: 'La connexion n’a pas pu aboutir',
      text: 'La réponse du service n’a pas été acceptée. La raison\u00a0:',
    },
    session: {
      title: 'Connectez-vous',
      text: 'Aucune session n’est ouverte dans cette application, ou la vôtre a été fermée.',
    },
    unavailable: {
      title: 'Hygie ne répond pas',
      text: 'Le service est peut-être en train de démarrer. Attendez un instant et réessayez.',
    },
    certificate: {
      title: 'Le certificat de Hygie n’est pas reconnu',
      text: 'Comme toute autre application, Mirabelle appelle Hygie à son adresse publique\u00a0; le certificat y vient d’une autorité que Node ne connaît pas, ou ne convient pas. La personne qui exploite le service le démarre avec NODE_EXTRA_CA_CERTS=/chemin/autorite.pem. La raison\u00a0:',
    },
    gone: {
      title: 'Cette fiche n’est pas dans l’annuaire',
      text: 'Elle a été retirée, ou son adresse n’est pas complète.',
    },
    unknownPage: {
      title: 'Cette page n’existe pas',
      text: 'Mirabelle n’a rien à cette adresse. Le lien est peut-être ancien, ou mal recopié.',
    },
    unexpected: { title: 'Une erreur est survenue ici', text: 'La raison figure dans le journal du service.' },
  },
  footer: 'Mirabelle ne tourne qu’en développement et dans un bac à sable.',
};
