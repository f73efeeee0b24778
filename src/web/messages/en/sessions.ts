// The English messages of the page with a person's sessions.

import type { sessions as french } from '#web/messages/fr/sessions.ts';

export const sessions: typeof french = {
  about: 'The devices where you’re signed in. A session ends when you sign out, or by itself after some time.',
  device: (browser, system) => `${browser} on ${system}`,
  unknownDevice: 'Unknown device',
  current: 'This session',
  signedIn: 'Signed in',
  used: 'Last used',
  usedAfter: (time) => `after ${time}`,
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
