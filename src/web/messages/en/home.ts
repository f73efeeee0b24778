// The English messages of the home page.

import type { home as french } from '#web/messages/fr/home.ts';

export const home: typeof french = {
  title: 'Sign-in and directory for health professionals',
  introduction: (service) =>
    `${service} lets health professionals open their applications with one account, and lets those applications search the directory.`,
  people: 'Are you a health professional?',
  peopleAdvice: 'To get to your tools, open your application and sign in.',
  account: 'My account',
  accountAbout: 'Profile, security, applications and sessions.',
  developers: 'For integrators',
  demo: 'Demo application',
  demoAbout: 'Sign in with a fictional account and search the directory.',
  discovery: 'OpenID Connect discovery',
  discoveryAbout: 'Addresses and features of the sign-in service.',
  tryIt: 'Try the directory',
  tryItAbout: 'One request from the browser, and the code that does the same.',
  directory: 'FHIR STU3 directory',
  directoryAbout: 'API reference: getting started, search parameters, examples.',
};
