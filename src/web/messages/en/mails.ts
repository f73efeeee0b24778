// The English mails.

import type { mails as french } from '../fr/mails.ts';

const lifetime = (duration: string) => `This link is valid for ${duration} and works once.`;

export const mails: typeof french = {
  greeting: (name) => `Hello ${name},`,
  linkBelow: (label) => `${label}:`,
  linkAlternative: 'If the button does not work, copy this address into your browser:',
  footer: (service, host) => `${service} (${host}). Automatic message: nobody reads replies.`,
  footerAnswered: (service, host) => `${service} (${host}). Automatic message.`,
  help: (address) => `Any questions? ${address}`,
  askTeam: (service) => `Any questions? Ask the team that runs ${service} at your organization.`,
  outbox: {
    title: 'Outbox',
    about: 'In development, without a mail server, e-mail stops here.',
    empty: 'No e-mail yet.',
    note: 'In development, this e-mail is here:',
    asHtml: 'See the HTML version',
    all: 'All e-mail',
  },
  device: 'Device',
  time: 'Date',
  account: 'Account',
  invitation: {
    subject: (service) => `Your access to ${service}`,
    lead: (service, email) =>
      `You have been given access to ${service} with the address ${email}. To start using it, choose your password.`,
    action: 'Choose my password',
    lifetime: (duration) => `${lifetime(duration)} After that, ask for a new invitation.`,
    unexpected: 'Not expecting this invitation? Do nothing: without a password, the account stays closed.',
  },
  'password-reset': {
    subject: (service) => `Choose a new password for ${service}`,
    lead: (service, email) => `A new password was requested for your account ${email} on ${service}. Choose it here:`,
    action: 'Choose a new password',
    lifetime,
    unexpected: 'Not you? Do nothing: your password stays the same.',
  },
  'email-verification': {
    subject: (service) => `Confirm your e-mail address for ${service}`,
    lead: (service, email) => `Confirm that the address ${email} of your ${service} account is yours.`,
    action: 'Confirm my address',
    lifetime,
    unexpected: 'Not you? Do nothing.',
  },
  'email-change': {
    subject: (service) => `Confirm your new e-mail address for ${service}`,
    lead: (service, email) =>
      `You asked to change the address of your ${service} account to ${email}. It changes once you confirm it.`,
    action: 'Confirm my new address',
    lifetime,
    unexpected: 'Not you? Do nothing: no address is changed.',
  },
  test: {
    subject: (service) => `Test mail from ${service}`,
    lead: (service) => `If you can read this message, ${service} can send e-mail.`,
  },
  notice: {
    subjects: {
      'account.password-changed': 'Your password was changed',
      'account.password-reset': 'Your password was changed',
      'account.password-set': 'A password was set for your account',
      'passkey.added': 'A passkey was added to your account',
      'passkey.removed': 'A passkey was removed from your account',
      'second-factor.added': 'Two-step verification is on',
      'second-factor.removed': 'Two-step verification is off',
      'recovery-codes.renewed': 'New recovery codes were created',
      'recovery-code.used': 'A recovery code was used',
      'account.email-changed': 'The e-mail address of your account was changed',
      'sign-in.new-device': 'Sign-in from a new device',
      'account.deletion-requested': 'Someone asked to delete your account',
      'account.deletion-withdrawn': 'Your account will not be deleted',
      'account.deleted': 'Your account was deleted',
    },
    leads: {
      'account.password-changed': 'The password of your account was changed. Your other sessions have ended.',
      'account.password-reset':
        'The password of your account was changed using the link sent by e-mail. All your sessions have ended.',
      'account.password-set':
        'The team that runs the service has set a password for your account. All your sessions have ended.',
      'passkey.added': 'A passkey can now be used to sign in to your account without a password.',
      'passkey.removed': 'A passkey can no longer be used to sign in to your account.',
      'second-factor.added': 'Signing in now takes a code from your authenticator app as well as your password.',
      'second-factor.removed':
        'The code from your authenticator app is no longer asked for, and your recovery codes no longer work.',
      'recovery-codes.renewed': 'Only the new recovery codes of your account work; the old ones no longer do.',
      'recovery-code.used': 'A recovery code was used in place of your authenticator app. It no longer works.',
      'account.email-changed':
        'Your account now has a different e-mail address. This is the last message sent to this one.',
      'sign-in.new-device': 'Someone signed in to your account from a device that we did not know.',
      'account.deletion-requested':
        'Someone asked for your account to be deleted. Until that is done, you can withdraw the request in your account space.',
      'account.deletion-withdrawn': 'The request to delete your account was withdrawn.',
      'account.deleted': 'Your account and everything in it were deleted. It can no longer be used to sign in.',
    },
    byOperator: 'This change was made by the team that runs the service.',
    wasYou: 'Was this you? There is nothing to do.',
    notYou: (place) =>
      `Was this not you? Open your account space (type ${place} into your browser), change your password, end your other sessions, and tell the team that runs the service.`,
    notYouTell: 'Was this not you? Tell the team that runs the service at once.',
    noLink: 'For your safety, this message contains no links.',
  },
};
