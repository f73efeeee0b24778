// The English messages about links in mails: forgotten password, invitation, e-mail address.

import type { links as french } from '#web/messages/fr/links.ts';

export const links: typeof french = {
  forgottenLink: 'Forgotten your password?',
  signIn: 'Sign in',
  signInNow: 'Sign in now',
  back: 'Back to sign-in',
  toAccount: 'Open my account',
  otherDevice: 'Were you using an application on another device? Sign in again in that application.',
  notYou: 'Didn’t ask for this? Close this page: nothing will change.',
  noHelp: 'Need help?',
  whomToAsk: 'Ask the team that runs this service in your organisation.',
  forgotten: {
    title: 'Forgotten your password?',
    lead: 'Enter your account’s e\u2011mail address. We’ll send you a link to choose a new password.',
    submit: 'Send me a link',
    noAddress: 'Enter a full address, such as name@example.org.',
    noMailbox: 'Can’t open that mailbox any more?',
    sentTitle: 'Check your mailbox',
    sent: 'If there’s an account for this address, we’ve just sent it a link:',
    sentAdvice: (time) => `It should arrive within a few minutes. It works once, for ${time}.`,
    nothing: 'Nothing there?',
    nothingAdvice: ['Look in your spam folder.', 'Check that this is the address you sign in with.'],
    again: 'Ask for another link',
    withoutMail: 'This service doesn’t send e\u2011mail, so you can’t choose a new password here.',
    stale: 'For your security, no link was sent. Please send your request again.',
    waiting: 'Too many requests',
    waitingAdvice: (until, time) =>
      `Several links have just been requested: check your mailbox first. You can ask for another one at ${until} (in ${time}).`,
  },
  reset: {
    lead: 'For the account',
    next: 'You’ll be signed out on all your devices. If you have a second step, you’ll still be asked for it.',
    doneTitle: 'Your password has been changed',
    done: 'You’ve been signed out everywhere. Sign in with your new password.',
  },
  invitation: {
    title: (name) => `Welcome, ${name}`,
    lead: (service) => `Choose a password for your ${service} account:`,
    next: 'Your account opens at once. From then on, you’ll sign in with this address and this password.',
    doneTitle: 'Your account is ready',
    done: 'From now on, sign in with your e\u2011mail address and the password you have just chosen.',
  },
  verification: {
    title: 'Confirm your e\u2011mail address',
    lead: 'Confirm that this address is yours:',
    submit: 'Confirm this address',
    doneTitle: 'Your address has been confirmed',
  },
  change: {
    title: 'Change your e\u2011mail address?',
    lead: 'Your new address:',
    replaces: (email) => `It will replace ${email}. You’ll use it to sign in.`,
    submit: 'Use this address',
    doneTitle: 'Your address has been changed',
    done: 'From now on you sign in with',
  },
  taken: {
    title: 'This address is already in use',
    cause: 'Another account already uses the address',
    remedy: 'Nothing was changed. Sign in to that account, or choose another address.',
  },
  useless: {
    title: 'This link no longer works',
    cause:
      'It has been used, it has expired, you were sent a newer one, or your account has changed since then. Nothing was changed.',
    remedy: {
      invitation:
        'If you have already chosen your password, sign in. If not, ask for a new link, using the address that received the invitation.',
      'password-reset': 'If you have already chosen your password, sign in. If not, ask for a new link.',
      'email-verification': 'Open your account to see whether your address is confirmed, or to get a new link.',
      'email-change': 'Open your account to see which address it has, or to get a new link.',
    },
    again: 'Ask for a new link',
    toAddress: 'Open my account',
  },
  address: {
    title: 'E-mail address',
    current: 'Your current address',
    verified: 'Confirmed',
    unverified: 'Not confirmed yet',
    verify: 'Send me a link to confirm it',
    changeTitle: 'Change address',
    changeLead: 'We’ll send a link to your new address. Your current one stays in use until you confirm the new one.',
    new: 'New e\u2011mail address',
    submit: 'Send the link',
    same: 'This is already your address.',
    missing: 'Enter your new address.',
    withoutMail: 'This service doesn’t send e\u2011mail, so you can’t change your address here.',
    sentTitle: (email) => `A link is on its way to ${email}`,
    changeSent: (time) =>
      `Open it within ${time} to use this address. Nothing there? Check the address and your spam folder.`,
    verificationSent: 'Open it to confirm your address. Nothing there? Look in your spam folder.',
  },
};
