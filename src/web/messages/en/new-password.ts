// The English messages about a new password, which the sign-in and the account pages share.

import type { newPassword as french } from '../fr/new-password.ts';

export const newPassword: typeof french = {
  title: 'Choose a new password',
  chosenByOperator: 'Your password was chosen by somebody else. Choose one that nobody but you knows, to continue to',
  introduction: 'You stay signed in here. Your other sessions will end, and their applications will lose their access.',
  current: 'Current password',
  password: 'New password',
  again: 'The same once more',
  ruleOfLength: (least) => `At least ${least} characters: several unrelated words are easiest to remember.`,
  ruleOfCommon: 'Neither common nor leaked on the internet: we check this here, without passing it on to anyone.',
  ruleOfPersonal: 'Not your name, nor your e-mail address.',
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
    'new-password': 'Enter your new password.',
    'new-password-again': 'Enter your new password a second time.',
  },
  problem: {
    different: { title: 'The two passwords differ', advice: 'Type the same new password twice.' },
    same: { title: 'This is the password you already have', advice: 'Choose another one.' },
    'too-short': { title: 'This password is too short', advice: 'Make it longer: add a word or two.' },
    'too-long': { title: 'This password is too long', advice: 'Make it shorter: 256 characters at most.' },
    common: {
      title: 'This password is too easy to guess',
      advice: 'It is common, or known to attackers already. Several unrelated words are a better choice.',
    },
    personal: {
      title: 'This password is too easy to guess',
      advice: 'It is made of your name or your address. Choose another one.',
    },
    wrong: { title: 'Wrong current password', advice: 'Nothing was changed. Please type it again.' },
    stale: {
      title: 'This page was out of date',
      advice: 'For your security, nothing was changed. Please type your new password again.',
    },
    busy: {
      title: 'Too many people are signing in',
      advice: 'Nothing was changed. Please wait a few seconds and try again.',
    },
  },
};
