// All English messages.

import type { Messages } from '#web/messages/fr/index.ts';
import { account, sessions } from './account.ts';
import { newPassword, passkeys } from './credentials.ts';
import { links } from './links.ts';
import { mails } from './mails.ts';
import { pages } from './pages.ts';
import { activity, profile } from './profile.ts';

export const en: Messages = {
  ...pages,
  account,
  form: {
    show: 'Show',
    showAbout: (label) => `Show: ${label}`,
    copy: 'Copy',
    copied: 'Copied',
  },
  activity,
  home: {
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
  },
  links,
  mails,
  newPassword,
  passkeys,
  profile,
  sandbox: {
    label: 'Test service',
    notice: 'Sandbox: a test service. The people in it are fictional. Don’t enter real data.',
    more: 'Learn more',
    signInAs: 'Try it as a fictional person',
    others: 'All fictional people',
    title: 'About this sandbox',
    introduction: (service) =>
      `This is where integrators try their applications with ${service}, as in production but without real people.`,
    facts: 'What to know',
    rights: 'Nothing signed here counts in production, which has its own keys, accounts and tokens.',
    lost: 'The data may be wiped at any time.',
    accounts: 'Sign in',
    accountsAbout: 'All of these people have the same password:',
    askOperator: 'Ask the team that runs this service for a test account.',
  },
  workspace: {
    title: 'Where are you working now?',
    introduction: (client) => `${client} will use the place of work you choose.`,
    legend: 'Place of work',
    problem: 'Choose one of these places.',
    submit: 'Continue',
    change: 'Change place of work',
    changeAbout: 'Applications will use it as soon as you open them again, or they refresh your profile.',
    save: 'Save',
    changed: 'Your place of work has been saved',
    stale: 'This page was out of date',
    staleAdvice: 'No choice was recorded. Please choose again.',
  },
  sessions,
};
