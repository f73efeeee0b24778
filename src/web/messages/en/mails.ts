// The English mails.

import type { mails as french } from '#web/messages/fr/mails.ts';

const lifetime = (duration: string) => `This link is valid for ${duration} and works once.`;

export const mails: typeof french = {
  greeting: (name) => `Hello ${name},`,
  linkBelow: (label) => `${label}:`,
  linkAlternative: 'If the button doesn’t work, copy this address into your browser:',
  footer: (service, host) => `${service} (${host}). Automatic message: nobody reads replies.`,
  footerAnswered: (service, host) => `${service} (${host}). Automatic message.`,
  help: (address) => `Any questions? ${address}`,
  askTeam: (service) => `Any questions? Ask the team that runs ${service} in your organisation.`,
  outbox: {
    title: 'Outbox',
    about: 'In development, without a mail server, e-mails stop here.',
    empty: 'No e-mail yet.',
    note: 'In development, this e-mail is here:',
    asHtml: 'See the HTML version',
    all: 'All e-mail',
  },
  device: 'Device',
  time: 'Date',
  account: 'Account',
  invitation: {
    subject: (service) => `Your access${service && ` to ${service}`}`,
    lead: (service, email) =>
      `You’ve been given access to ${service} with the address ${email}. To start using it, choose your password.`,
    action: 'Choose my password',
    lifetime: (duration) => `${lifetime(duration)} After that, ask for a new invitation.`,
    unexpected:
      'Not expecting this invitation? You don’t need to do anything: without a password, the account stays closed.',
  },
  'password-reset': {
    subject: (service) => `Choose a new password${service && ` for ${service}`}`,
    lead: (service, email) => `A new password was requested for your account ${email} on ${service}. Choose it here:`,
    action: 'Choose a new password',
    lifetime,
    unexpected: 'Didn’t ask for this? You don’t need to do anything: your password stays the same.',
  },
  'email-verification': {
    subject: (service) => `Confirm your e-mail address${service && ` for ${service}`}`,
    lead: (service, email) => `Confirm that the address ${email} of your ${service} account is yours.`,
    action: 'Confirm my address',
    lifetime,
    unexpected: 'Didn’t ask for this? You don’t need to do anything.',
  },
  'email-change': {
    subject: (service) => `Confirm your new e-mail address${service && ` for ${service}`}`,
    lead: (service, email) =>
      `You asked to change the address of your ${service} account to ${email}. It changes once you confirm it.`,
    action: 'Confirm my new address',
    lifetime,
    unexpected: 'Didn’t ask for this? You don’t need to do anything: no address will change.',
  },
  test: {
    subject: (service) => `Test e-mail${service && ` from ${service}`}`,
    lead: (service) => `If you can read this message, ${service} can send e-mail.`,
  },
  operator: {
    directory: {
      subject: 'The new edition of the directory was refused',
      lead: 'An edition in the watched folder was refused. The directory is unchanged. The reasons:',
      remedy:
        'The command “directory status” says more. Put a good edition into the folder, or import this one with --accept if it is meant.',
    },
    backup: {
      subject: 'A backup failed',
      lead: 'A backup was not made, or was not verified: don’t count on it. What the command said:',
      remedy: 'Remove the cause, make a new backup, and have it verified.',
    },
  },
  notice: {
    subjects: {
      'account.password-changed': 'Your password was changed',
      'account.password-reset': 'Your password was changed',
      'account.password-set': 'Your password was replaced',
      'passkey.added': 'A passkey was added to your account',
      'passkey.removed': 'A passkey was removed from your account',
      'second-factor.added': 'Authenticator app added to your account',
      'second-factor.removed': 'Authenticator app removed from your account',
      'recovery-codes.renewed': 'New recovery codes were created',
      'recovery-code.used': 'A recovery code was used',
      'account.email-changed': 'Your e-mail address was changed',
      'sign-in.new-device': 'Sign-in from a new device',
      'account.deletion-requested': 'Deletion of your account was requested',
      'account.deletion-withdrawn': 'Your account won’t be deleted',
      'account.deleted': 'Your account was deleted',
    },
    leads: {
      'account.password-changed': 'Your account’s password was changed. You’ve been signed out everywhere else.',
      'account.password-reset':
        'Your account’s password was changed using the link sent by e-mail. You’ve been signed out everywhere.',
      'account.password-set':
        'The team that runs the service has chosen a new password for your account. You’ve been signed out everywhere.',
      'passkey.added': 'A passkey can now be used to sign in to your account without a password.',
      'passkey.removed': 'A passkey can no longer be used to sign in to your account.',
      'second-factor.added': 'As well as your password, you’ll be asked for a code from this app.',
      'second-factor.removed': 'You’ll no longer be asked for a code from this app when you sign in.',
      'recovery-codes.renewed': 'Your previous recovery codes no longer work.',
      'recovery-code.used':
        'One of your recovery codes was used instead of your usual second step. It no longer works.',
      'account.email-changed':
        'Your account now has another e-mail address. This is the last message sent to this one.',
      'sign-in.new-device': 'Somebody signed in to your account from a device we didn’t know.',
      'account.deletion-requested':
        'Somebody asked for your account to be deleted. Until that is done, you can cancel the request in your account.',
      'account.deletion-withdrawn': 'The request to delete your account was cancelled.',
      'account.deleted': 'Your account and everything in it were deleted. It can no longer be used to sign in.',
    },
    byOperator: 'This change was made by the team that runs the service.',
    wasYou: 'Was this you? There’s nothing to do.',
    notYou: (place) =>
      `Wasn’t this you? Open your account (type ${place} into your browser), change your password, sign out everywhere else, and tell the team that runs the service.`,
    notYouTell: 'Wasn’t this you? Tell the team that runs the service at once.',
    noLink: 'For your security, this message contains no links.',
  },
};
