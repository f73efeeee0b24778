// The English messages about links in mails: forgotten password, invitation, e-mail address.

import type { links as french } from '../fr/links.ts';

export const links: typeof french = {
  forgottenLink: 'Forgotten your password?',
  signIn: 'Sign in',
  signInNow: 'Sign in now',
  back: 'Back to sign-in',
  toAccount: 'Open my account',
  otherDevice: 'Were you using an application on another device? Sign in again in that application.',
  notYou: 'You didn’t ask for this? Close this page: nothing will change.',
  noHelp: 'Still stuck?',
  whomToAsk: 'Ask the team that runs this service in your organisation.',
  forgotten: {
    title: 'Forgotten your password?',
    lead: 'Enter the e-mail address of your account. We will send it a link to choose a new password.',
    submit: 'Send me a link',
    noAddress: 'Enter a full address, such as name@example.org.',
    noMailbox: 'Can’t open that mailbox any more?',
    sentTitle: 'Check your mailbox',
    sent: 'If there is an account for this address, a link is on its way to it:',
    sentAdvice: (time) => `It arrives within a few minutes, works for ${time}, and only once.`,
    nothing: 'Nothing there?',
    nothingAdvice: ['Look in your spam folder.', 'Make sure that this is the address you sign in with.'],
    again: 'Ask for another link',
    withoutMail: 'This service sends no e-mail. The support team can give you a new password.',
    stale: 'For your security, nothing was submitted. Please send your request again.',
    waiting: 'Too many requests',
    waitingAdvice: (until) =>
      `Several links were asked for just now: look in your mailbox first. You can ask for another one from ${until}.`,
  },
  reset: {
    lead: 'For the account',
    next: 'All your sessions will end, on all your devices. If you have a second step, it will still be asked for.',
    doneTitle: 'Your password is changed',
    done: 'All your sessions have ended. Sign in with your new password.',
  },
  invitation: {
    title: (name) => `Welcome, ${name}`,
    lead: (service) => `Choose the password of your ${service} account:`,
    next: 'You will then sign in with this address and this password.',
    doneTitle: 'Your account is ready',
    done: 'Sign in with your e-mail address and the password you have just chosen.',
  },
  verification: {
    title: 'Confirm your e-mail address',
    lead: 'Confirm that this address is yours:',
    submit: 'Confirm this address',
    doneTitle: 'Your address is confirmed',
  },
  change: {
    title: 'Change your e-mail address?',
    lead: 'Your new address:',
    replaces: (email) => `It will replace ${email}. You will sign in with it.`,
    submit: 'Use this address',
    doneTitle: 'Your address is changed',
    done: 'From now on you sign in with',
  },
  taken: {
    title: 'This address is already in use',
    cause: 'There is another account with the address',
    remedy: 'Nothing was changed. Sign in to that account, or choose another address.',
  },
  useless: {
    title: 'This link no longer works',
    cause:
      'It has been used, it has expired, you were sent a newer one, or your account has changed since. Nothing was changed.',
    remedy: {
      invitation:
        'If you have already chosen your password, sign in. If not, ask for a new link with the address that received the invitation.',
      'password-reset': 'If you have already chosen your password, sign in. If not, ask for a new link.',
      'email-verification': 'Open your account to see whether your address is confirmed, or to get a new link.',
      'email-change': 'Open your account to see which address it has, or to get a new link.',
    },
    again: 'Ask for a new link',
    toAddress: 'Open my account',
  },
  address: {
    title: 'E-mail address',
    current: 'Your present address',
    verified: 'Confirmed',
    unverified: 'Not confirmed yet',
    verify: 'Send me a link to confirm it',
    changeTitle: 'Change the address',
    changeLead: 'A link will be sent to your new address. The present one stays yours until you open it.',
    new: 'New e-mail address',
    submit: 'Send the link',
    same: 'This is your address already.',
    missing: 'Enter your new address.',
    withoutMail: 'This service sends no e-mail: the support team can change your address.',
    sentTitle: (email) => `A link is on its way to ${email}`,
    changeSent: (time) =>
      `Open it within ${time} to use this address. Nothing there? Check the address and your spam folder.`,
    verificationSent: 'Open it to confirm your address. Nothing there? Look in your spam folder.',
  },
};
