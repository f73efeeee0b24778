// The English messages about a person's own profile and data.

import type { profile as french } from '#web/messages/fr/profile.ts';

export const profile: typeof french = {
  identity: 'About me',
  edit: 'Edit my details',
  editSome: 'Change my language',
  field: {
    given: 'First name',
    family: 'Last name',
    name: 'Display name',
    nickname: 'Nickname',
    language: 'Language',
  },
  help: {
    given: undefined,
    family: undefined,
    name: 'Your full name, as applications show it.',
    nickname: 'Optional. Some applications show it instead of your name.',
    language: 'For our pages once you have signed in, and for our e\u2011mails.',
  },
  browserLanguage: 'My browser’s language',
  asInDirectory: 'As in the directory',
  save: 'Save',
  back: 'Back to my profile',
  saved: 'Your details have been saved',
  savedAbout: 'Applications will receive them the next time you sign in.',
  problems: 'Several details need correcting',
  problem: {
    missing: { title: 'Enter your name.', advice: undefined },
    empty: { title: 'This name has no letters or digits.', advice: 'Add at least one letter.' },
    'too-long': { title: 'This name is too long.', advice: 'Use 200 characters at most.' },
    invisible: {
      title: 'This name contains an invisible character.',
      advice: 'Delete the name and type it instead of pasting it.',
    },
  },
  emailChange: 'Change my e\u2011mail address',
  emailVerified: 'confirmed',
  emailUnverified: 'not confirmed yet',
  toldAbout:
    'An application only receives what you have allowed: your name, picture and language on the one hand, your e\u2011mail address on the other.',
  toldLink: 'See my applications',
  picture: 'Picture',
  pictureOf: 'Your picture: your initials',
  ownData: 'My data',
  data: 'Download my data',
  dataAbout:
    'One file (JSON) with everything this service knows about you: your account, the applications you’ve given access, your sessions and your activity. It contains no passwords or codes. Keep it in a safe place.',
  dataSubmit: 'Download the file',
  deletion: 'Ask for my account to be deleted',
  deletionTitle: 'Ask for your account to be deleted?',
  deletionAbout:
    'The team that runs this service will handle your request. Until then, your account keeps working and you can cancel the request.',
  deletionGoes: 'What will be deleted',
  deletionGoesList: [
    'Your account, your names and your e\u2011mail address',
    'Your password and your other ways to sign in',
    'Your sessions and the access you gave to applications',
  ],
  deletionStays: 'What will stay',
  deletionStaysList: [
    'The security log (sign-ins, changes), without your name, for as long as this service keeps it',
    'What applications have stored themselves: contact each of them',
    'Your record in the directory of professionals, which does not depend on this account',
  ],
  deletionSubmit: 'Ask for deletion',
  deletionNoted: 'Your request has been recorded',
  deletionNotedAbout: 'Your account keeps working until it has been handled.',
  deletionRequested: (date) => `You asked for your account to be deleted on ${date}`,
  deletionWaits: 'The team that runs this service will handle it. Changed your mind?',
  deletionWithdraw: 'Cancel my request',
  deletionWithdrawn: 'Your request has been cancelled',
  deletionWithdrawnAbout: 'Your account will not be deleted.',
};
