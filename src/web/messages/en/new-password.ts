// The English messages about a new password, for the sign-in and the account pages.

import type { newPassword as french } from '#web/messages/fr/new-password.ts';

export const newPassword: typeof french = {
  title: 'Choose a new password',
  chosenByOperator: 'Your password was chosen by somebody else. Choose one that only you know to continue to',
  introduction:
    'You’ll stay signed in here. You’ll be signed out everywhere else, and the applications open there will lose access.',
  current: 'Current password',
  password: 'New password',
  again: 'New password again',
  first: {
    password: 'Password',
    again: 'Password again',
    submit: 'Open my account',
  },
  ruleOfLength: (least) => `At least ${least} characters: several unrelated words are easy to remember.`,
  ruleOfCommon:
    'Not a common one, nor one leaked on the internet: this service checks it itself and passes it on to nobody.',
  ruleOfPersonal: 'Not your name or your e\u2011mail address.',
  strength: {
    short: (least) => `Too short: {n} of ${least} characters`,
    personal: 'Too easy to guess: it is your name or your address',
    simple: 'Too easy to guess: a sequence or a repetition',
    fair: 'Fair: one more word would make it strong',
    good: 'Strong',
    strong: 'Very strong',
  },
  submit: 'Save this password',
  incomplete: 'Some details are missing',
  missing: {
    password: 'Enter your current password.',
    'new-password': 'Enter the password that you choose.',
    'new-password-again': 'Enter it a second time.',
  },
  problem: {
    different: { title: 'The two passwords are different', advice: 'Enter the same one twice.' },
    same: { title: 'This is already your password', advice: 'Choose another one.' },
    'too-short': { title: 'This password is too short', advice: 'Make it longer: add a word or two.' },
    'too-long': { title: 'This password is too long', advice: 'Make it shorter: 256 characters at most.' },
    common: {
      title: 'This password is too easy to guess',
      advice: 'It’s common, or attackers already know it. Several unrelated words are a better choice.',
    },
    personal: {
      title: 'This password is too easy to guess',
      advice: 'It’s based on your name or e\u2011mail address. Choose another one.',
    },
    wrong: { title: 'Current password incorrect', advice: 'Nothing was changed. Please enter it again.' },
    stale: {
      title: 'This page was out of date',
      advice: 'For your security, nothing was changed. Please enter your new password again.',
    },
    busy: {
      title: 'Too many people are signing in',
      advice: 'Nothing was changed. Please wait a few seconds and try again.',
    },
  },
};
