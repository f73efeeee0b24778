// The French messages about links in mails: forgotten password, invitation, e-mail address. `index.ts` explains the typography.

export const links = {
  forgottenLink: 'Mot de passe oublié\u00a0?',
  signIn: 'Se connecter',
  signInNow: 'Me connecter maintenant',
  back: 'Retour à la connexion',
  toAccount: 'Ouvrir mon compte',
  otherDevice:
    'Vous utilisiez une application sur un autre appareil\u00a0? Connectez-vous à nouveau dans cette application.',
  notYou: 'Cette demande ne vient pas de vous\u00a0? Fermez cette page\u00a0: rien ne changera.',
  noHelp: 'Besoin d’aide\u00a0?',
  whomToAsk: 'Adressez-vous à l’équipe qui gère ce service dans votre établissement.',
  forgotten: {
    title: 'Mot de passe oublié\u00a0?',
    lead: 'Saisissez l’adresse e\u2011mail de votre compte\u00a0: vous y recevrez un lien pour choisir un nouveau mot de passe.',
    submit: 'Recevoir un lien',
    noAddress: 'Saisissez une adresse complète, comme nom@exemple.fr.',
    noMailbox: 'Vous n’avez plus accès à cette messagerie\u00a0?',
    sentTitle: 'Consultez votre messagerie',
    sent: 'S’il existe un compte à cette adresse, un lien vient d’y être envoyé\u00a0:',
    sentAdvice: (time: string) => `Il arrive en quelques minutes, reste valable ${time} et ne sert qu’une fois.`,
    nothing: 'Rien n’arrive\u00a0?',
    nothingAdvice: [
      'Regardez dans les courriers indésirables.',
      'Vérifiez que c’est bien l’adresse avec laquelle vous vous connectez.',
    ],
    again: 'Demander un autre lien',
    withoutMail: 'Ce service n’envoie pas d’e\u2011mail\u00a0: vous ne pouvez pas choisir un nouveau mot de passe ici.',
    stale: 'Par sécurité, aucun lien n’a été envoyé. Refaites votre demande.',
    waiting: 'Trop de demandes',
    waitingAdvice: (until: string, time: string) =>
      `Plusieurs liens viennent d’être demandés\u00a0: regardez d’abord dans votre messagerie. Vous pourrez en demander un autre à partir de ${until} (dans ${time}).`,
  },
  reset: {
    lead: 'Pour le compte',
    next: 'Toutes vos sessions seront fermées, sur tous vos appareils. Si vous avez une deuxième étape, elle vous sera toujours demandée.',
    doneTitle: 'Votre mot de passe a été changé',
    done: 'Toutes vos sessions ont été fermées. Connectez-vous avec votre nouveau mot de passe.',
  },
  invitation: {
    title: (name: string) => `Bienvenue, ${name}`,
    lead: (service: string) => `Choisissez le mot de passe de votre compte ${service}\u00a0:`,
    next: 'Votre compte s’ouvre aussitôt. Par la suite, vous vous connecterez avec cette adresse et ce mot de passe.',
    doneTitle: 'Votre compte est prêt',
    done: 'Vous vous connecterez désormais avec votre adresse e\u2011mail et le mot de passe que vous venez de choisir.',
  },
  verification: {
    title: 'Confirmer votre adresse e\u2011mail',
    lead: 'Confirmez que cette adresse est la vôtre\u00a0:',
    submit: 'Confirmer cette adresse',
    doneTitle: 'Votre adresse est confirmée',
  },
  change: {
    title: 'Changer d’adresse e\u2011mail\u00a0?',
    lead: 'Votre nouvelle adresse\u00a0:',
    replaces: (email: string) => `Elle remplacera ${email}. C’est avec elle que vous vous connecterez.`,
    submit: 'Utiliser cette adresse',
    doneTitle: 'Votre adresse a été changée',
    done: 'Vous vous connectez désormais avec',
  },
  taken: {
    title: 'Cette adresse est déjà utilisée',
    cause: 'Un autre compte existe à l’adresse',
    remedy: 'Rien n’a été modifié. Connectez-vous à ce compte, ou choisissez une autre adresse.',
  },
  useless: {
    title: 'Ce lien ne fonctionne plus',
    cause:
      'Il a déjà servi, il a expiré, un lien plus récent vous a été envoyé, ou votre compte a changé depuis. Rien n’a été modifié.',
    remedy: {
      invitation:
        'Si vous avez déjà choisi votre mot de passe, connectez-vous. Sinon, demandez un nouveau lien avec l’adresse où vous avez reçu l’invitation.',
      'password-reset': 'Si vous avez déjà choisi votre mot de passe, connectez-vous. Sinon, demandez un nouveau lien.',
      'email-verification':
        'Ouvrez votre compte pour voir si votre adresse est confirmée, ou recevoir un nouveau lien.',
      'email-change': 'Ouvrez votre compte pour voir quelle est votre adresse, ou recevoir un nouveau lien.',
    },
    again: 'Demander un nouveau lien',
    toAddress: 'Ouvrir mon compte',
  },
  address: {
    title: 'Adresse e\u2011mail',
    current: 'Votre adresse actuelle',
    verified: 'Confirmée',
    unverified: 'Pas encore confirmée',
    verify: 'Recevoir un lien pour la confirmer',
    changeTitle: 'Changer d’adresse',
    changeLead:
      'Un lien sera envoyé à votre nouvelle adresse. L’adresse actuelle reste la vôtre tant que vous n’avez pas confirmé la nouvelle.',
    new: 'Nouvelle adresse e\u2011mail',
    submit: 'Envoyer le lien',
    same: 'C’est déjà votre adresse.',
    missing: 'Saisissez votre nouvelle adresse.',
    withoutMail: 'Ce service n’envoie pas d’e\u2011mail\u00a0: vous ne pouvez pas changer d’adresse ici.',
    sentTitle: (email: string) => `Un lien vient d’être envoyé à ${email}`,
    changeSent: (time: string) =>
      `Ouvrez-le dans les ${time} pour utiliser cette adresse. Rien n’arrive\u00a0? Vérifiez l’adresse et les courriers indésirables.`,
    verificationSent:
      'Ouvrez-le pour confirmer votre adresse. Rien n’arrive\u00a0? Regardez dans les courriers indésirables.',
  },
};
