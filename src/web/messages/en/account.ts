// The English messages of the account pages.

import type { account as frenchAccount, sessions as frenchSessions } from '#web/messages/fr/account.ts';

export const account: typeof frenchAccount = {
  navigation: 'My account',
  sections: {
    profile: 'Profile',
    security: 'Security',
    applications: 'Applications',
    sessions: 'Sessions',
    activity: 'Activity',
  },
  introduction: 'What this service knows about you and shares with the applications you allow.',
  signOut: 'Sign out',
  cancel: 'Cancel',
  stale: 'This page was out of date',
  staleAdvice: 'For your security, nothing was changed. Please choose again.',
  unsent: 'Your request was not carried out',
  unsentAdvice: 'Your session had ended, or you had signed in too long ago for this page. Please try again.',
  directory: 'In the directory',
  practitioners: (number) => (number === 1 ? 'Professional record' : 'Professional records'),
  workspaces: (number) => (number === 1 ? 'Place of work' : 'Places of work'),
  currentWorkspace: 'current place',
  unlinked: 'Your account isn’t linked to a directory record.',
  left: 'This record is no longer in the directory, so it’s no longer shared with applications.',
  hidden: 'This record is hidden by the operator of the directory, so it isn’t shared with applications.',
  other: 'This record now carries another name: it isn’t shared with applications until that has been checked.',
  mistake: 'Is something wrong here?',
  mistakeLink: 'Report a mistake',
  stateSteps: 'A second step protects your sign-in.',
  stateNoSteps: 'Your password alone protects your account.',
  stateEmail: 'Your e\u2011mail address is confirmed.',
  stateNoEmail: 'Your e\u2011mail address isn’t confirmed yet.',
  stateDone: 'There’s nothing to do.',
  steps: 'Two-step verification',
  stepsOff: 'Off',
  stepsOffAbout:
    'Add a code from your phone to your password: a stolen password will no longer be enough to sign in as you.',
  stepsAdd: 'Add a second step',
  stepsOn: 'On',
  stepsSince: (date) => `You’ve been asked for a code from your authenticator app since ${date}.`,
  stepsEither: 'After your password, you’re asked for a code from your authenticator app or one of your passkeys.',
  codesLeft: (number) => {
    if (number === 0) return 'You have no recovery codes left: create new ones.';
    return number === 1 ? 'You have one recovery code left.' : `You have ${number} recovery codes left.`;
  },
  newCodes: 'Create new recovery codes',
  remove: 'Remove the authenticator app',
  setUpIntroduction: 'Each time you sign in, after your password, you’ll be asked for a code from your phone.',
  missingAdvice: 'Enter the code that the app shows now.',
  renewTitle: 'Create new recovery codes?',
  renewIntroduction: 'Your current recovery codes will stop working.',
  renewSubmit: 'Create the codes',
  removeTitle: 'Remove the authenticator app?',
  removeIntroduction:
    'Your password alone will then be enough to sign in. If you’re changing phones, remove the app, then add it again.',
  removeKeepsPasskeys: 'After your password, you’ll still be asked for one of your passkeys.',
  removeRequired:
    'This service requires two steps: you’ll add a new one the next time you sign in. That’s also how to change phones.',
  removeSubmit: 'Remove',
  appAdded: 'The authenticator app is ready',
  appAddedAdvice: 'You’ve been signed out everywhere else. The recovery codes that you keep stay valid.',
  removed: 'The authenticator app has been removed',
  codesSaved: {
    app: 'Your second step is ready',
    passkey: 'Your passkey is ready',
    renewed: 'Your new recovery codes are ready',
  },
  codesSavedAdvice: 'You’ve been signed out everywhere else. Keep your recovery codes in a safe place.',
  removedAdvice: 'You can delete this account in your authenticator app.',
  password: 'Password',
  securityAbout: 'What keeps your sign-in safe.',
  passwordSetAt: (date) => `Last changed on ${date}.`,
  changePassword: 'Change password',
  endSessions: 'Sign out everywhere else',
  endSessionsTitle: 'Sign out everywhere else?',
  endSessionsAbout:
    'You’ll be signed out on all other computers, phones and browsers, and the applications open there will lose access. You’ll stay signed in here; you may have to open the applications here again.',
  endSessionsSubmit: 'Sign out elsewhere',
  sessionsEnded: 'You’re now signed in here only',
  sessionsEndedAdvice: (sessions) => {
    if (sessions === 0) return 'You weren’t signed in anywhere else.';
    return sessions === 1
      ? 'One other session has ended. If you don’t recognise it, change your password too.'
      : `${sessions} other sessions have ended. If you don’t recognise them, change your password too.`;
  },
  passwordChanged: 'Your password has been changed',
  passwordChangedAdvice: 'You’ve been signed out everywhere else: you’ll need the new password there.',
  applicationsTitle: 'Applications with access',
  applicationsAbout: 'What each one can know about you or do on your behalf.',
  noApplications: 'You haven’t given any application access.',
  allowedSince: (date) => `Access given on ${date}`,
  revoke: 'Withdraw access',
  revokeAbout:
    'It will lose access to your account at once. It keeps what it has already received. If you open it again, you’ll be asked for your permission.',
  revokeOf: (client) => `Withdraw access from ${client}`,
  revoked: (client) => `${client} no longer has access to your account`,
  revokedAdvice: 'If you open this application again, you’ll be asked for your permission.',
  error: {
    again: 'Start again',
    expired: {
      title: 'This sign-in is no longer valid',
      cause: 'It took too long, is already complete, was started in another browser, or your browser blocks cookies.',
      remedy: 'Open your account again: if you’re still signed in, you won’t be asked for anything.',
    },
    access_denied: {
      title: 'You aren’t signed in to your account',
      cause: 'The sign-in was stopped before it was complete.',
      remedy: 'You can start again whenever you like. Nothing was changed.',
    },
    refused: {
      title: 'We couldn’t sign you in',
      cause: 'The sign-in service refused the request. You did nothing wrong.',
      remedy: 'Please start again. If it happens again, give the reference to the team that runs this service.',
    },
    foreign_form: {
      title: 'Submission blocked',
      cause: 'This form did not come from our pages. We blocked it to protect your account.',
      remedy: 'Nothing was changed. You can carry on from your account.',
    },
    shared_account: {
      title: 'Shared account',
      cause: 'This account belongs to a fictional person, and every visitor to this sandbox uses it.',
      remedy: 'The way to sign in to it can’t be changed. Ask the team that runs this service for a test account.',
    },
    unusable_form: {
      title: 'This form could not be read',
      cause: 'It contains information that this service cannot read.',
      remedy: 'Nothing was changed. Go back to your account and enter your details again.',
    },
    server_error: {
      title: 'Something went wrong on our side',
      cause: 'An error interrupted your request. You did nothing wrong.',
      remedy:
        'Please try again in a moment. If it happens again, give the reference to the team that runs this service.',
    },
  },
};

/** The messages of the page with a person's sessions. */
export const sessions: typeof frenchSessions = {
  about: 'The devices where you’re signed in. A session ends when you sign out, or by itself after some time.',
  device: (browser, system) => `${browser} on ${system}`,
  unknownDevice: 'Unknown device',
  current: 'This session',
  signedIn: 'Signed in',
  used: 'Last used',
  usedAfter: (time) => `${time} or later`,
  how: 'Signed in with',
  methods: {
    password: 'password',
    code: 'one-time code',
    passkey: 'passkey',
  },
  applications: 'Applications opened',
  noApplications: 'None',
  end: 'Sign out there',
  endOf: (device, time) => `Sign out there: ${device}, signed in ${time}`,
  others: 'Everywhere else',
  othersAbout: 'You’ll be signed out everywhere at once, except here.',
  onlyThis: 'You aren’t signed in anywhere else.',
  ended: (device) => `The session has ended: ${device}`,
  endedAdvice:
    'Applications opened in that session no longer have access to your account. To withdraw access you gave for longer, go to “Applications”.',
  notFound: 'That session has already ended',
  notFoundAdvice: 'Nothing else was changed.',
  notYou: 'Is there a session you don’t recognise?',
  notYouAdvice: 'Somebody may know your password. Change it: you’ll be signed out everywhere else at once.',
};
