// The English messages of the account pages.

import type { account as french } from '../fr/account.ts';

export const account: typeof french = {
  navigation: 'My account',
  sections: {
    profile: 'Profile',
    security: 'Security',
    applications: 'Applications',
    sessions: 'Sessions',
    activity: 'Activity',
  },
  introduction: 'What this service knows of you, and tells the applications that you allow.',
  signOut: 'Sign out',
  cancel: 'Cancel',
  stale: 'This page was out of date',
  staleAdvice: 'For your security, nothing was changed. Please choose again.',
  directory: 'In the directory',
  practitioners: (number) => (number === 1 ? 'Professional record' : 'Professional records'),
  workspaces: (number) => (number === 1 ? 'Place of work' : 'Places of work'),
  currentWorkspace: 'current',
  unlinked: 'Your account is not linked to any record of the directory.',
  left: 'This record is no longer in the directory: applications are not told of it.',
  other: 'This record carries another name now: applications are not told of it until this has been checked.',
  mistake: 'Something is not right?',
  mistakeLink: 'Report a mistake',
  steps: 'Two-step verification',
  stepsOff: 'Off',
  stepsOffAbout:
    'Add a code from your phone to your password: a stolen password will no longer be enough to sign in as you.',
  stepsAdd: 'Add a second step',
  stepsOn: 'On',
  stepsSince: (date) => `You have been asked for a code of your authenticator app since ${date}.`,
  codesLeft: (number) =>
    number === 0
      ? 'You have no recovery code left: please create new ones.'
      : number === 1
        ? 'You have a single recovery code left.'
        : `You have ${number} recovery codes left.`,
  newCodes: 'Create new recovery codes',
  remove: 'Turn off the second step',
  setUpIntroduction:
    'At every sign-in, after your password, you will be asked for a code from your phone. It takes three steps.',
  missingAdvice: 'Type the code that the app shows now.',
  renewTitle: 'Create new recovery codes?',
  renewIntroduction: 'Your present recovery codes will no longer work.',
  renewSubmit: 'Create the codes',
  renewed: 'Your earlier codes no longer work.',
  removeTitle: 'Turn off the second step?',
  removeIntroduction: 'Your password will then be enough to sign in. To change phones, turn it off, then add it again.',
  removeRequired:
    'This service asks for two steps: you will add a new one at your next sign-in. That is how to change phones.',
  removeSubmit: 'Turn off',
  removed: 'The second step is off',
  codesSaved: 'Your second step is ready',
  codesSavedAdvice: 'Keep your recovery codes safe: they help if you lose your phone.',
  removedAdvice: 'You can delete this account in your authenticator app.',
  password: 'Password',
  securityAbout: 'What keeps your sign-in safe.',
  passwordSetAt: (date) => `Last changed on ${date}.`,
  changePassword: 'Change the password',
  endSessions: 'Sign out everywhere else',
  endSessionsTitle: 'Sign out everywhere else?',
  endSessionsAbout:
    'All your sessions on other computers, phones and browsers will end, and their applications will lose their access. You stay signed in here.',
  endSessionsSubmit: 'Sign out elsewhere',
  sessionsEnded: 'You are signed in here only',
  sessionsEndedAdvice: (sessions) =>
    sessions === 0
      ? 'No other session was open.'
      : sessions === 1
        ? 'One other session was ended. If you do not know it, change your password as well.'
        : `${sessions} other sessions were ended. If you do not know them, change your password as well.`,
  passwordChanged: 'Your password is changed',
  passwordChangedAdvice: 'Your other sessions have ended: the new password will be asked for there.',
  applicationsTitle: 'Allowed applications',
  applicationsAbout: 'What each of them may know of you, or do in your name.',
  noApplications: 'You have not given any application access.',
  allowedSince: (date) => `Allowed since ${date}`,
  revoke: 'Withdraw access',
  revokeAbout:
    'It will lose access to your account at once. What it has already received stays with it; you will be asked to agree if you open it again.',
  revokeOf: (client) => `Withdraw access of ${client}`,
  revoked: (client) => `${client} no longer has access to your account`,
  revokedAdvice: 'You will be asked to agree if you open this application again.',
  error: {
    again: 'Start again',
    expired: {
      title: 'This sign-in no longer holds',
      cause: 'It took too long, is already complete, or was started in another browser.',
      remedy: 'Open your account again: if your session is still open, you will not be asked for anything.',
    },
    access_denied: {
      title: 'You are not in your account',
      cause: 'The sign-in was stopped before its end.',
      remedy: 'You can start again whenever you like. Nothing was changed.',
    },
    refused: {
      title: 'The sign-in did not succeed',
      cause: 'The sign-in service refused the request. You did nothing wrong.',
      remedy: 'Please start again. If it happens again, give the support team the reference.',
    },
    foreign_form: {
      title: 'Submission blocked',
      cause: 'This form did not come from our pages. We blocked it to protect your account.',
      remedy: 'Nothing was changed. You can go on from your account.',
    },
    shared_account: {
      title: 'Shared account',
      cause: 'This account is that of a fictional person, and everybody who visits this sandbox signs in with it.',
      remedy: 'How to sign in with it cannot be changed. Ask the team that runs this service for a test account.',
    },
    unusable_form: {
      title: 'Unreadable submission',
      cause: 'The form we received holds information that this service cannot read.',
      remedy: 'Nothing was changed. Go on from your account and enter your details again.',
    },
    server_error: {
      title: 'The service has a problem',
      cause: 'A fault on our side interrupted your request. You did nothing wrong.',
      remedy: 'Please try again in a moment. If it happens again, give the support team the reference.',
    },
  },
};
