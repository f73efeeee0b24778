// The English messages of the page with a person's sessions.

import type { sessions as french } from '../fr/sessions.ts';

export const sessions: typeof french = {
  about: 'Where your account is open. A session ends when you sign out, or by itself after some time.',
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
  othersAbout: 'Ends all sessions at once, except the one you are using.',
  onlyThis: 'Your account is not open anywhere else.',
  ended: (device) => `The session has ended: ${device}`,
  endedAdvice:
    'Applications opened in that session no longer have access to your account. Access that you gave for longer is withdrawn under “Allowed applications”.',
  notFound: 'That session is no longer open',
  notFoundAdvice: 'It ended in the meantime. Nothing else was changed.',
  notYou: 'You do not recognise a session?',
  notYouAdvice: 'Somebody may know your password. Change it: your other sessions end at once.',
};
