// The English messages about a person's own profile and data.

import type { profile as french } from '../fr/profile.ts';

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
    language: 'For our pages once you have signed in, and for our e-mails.',
  },
  browserLanguage: 'The language of my browser',
  asInDirectory: 'As in the directory',
  save: 'Save',
  back: 'Back to my profile',
  saved: 'Your details are saved',
  savedAbout: 'Applications receive them the next time you sign in.',
  problems: 'There is more than one thing to correct',
  problem: {
    missing: { title: 'Enter your name.', advice: undefined },
    empty: { title: 'This name has no letter and no digit.', advice: 'Add at least one.' },
    'too-long': { title: 'This name is too long.', advice: '200 characters at most.' },
    invisible: {
      title: 'This name contains an invisible character.',
      advice: 'Delete it and type it in instead of pasting it.',
    },
  },
  emailChange: 'Change my e-mail address',
  emailVerified: 'verified',
  emailUnverified: 'not verified',
  toldAbout:
    'An application receives only what you have allowed it: your names, picture and language with your profile, your e-mail address separately.',
  toldLink: 'See my applications',
  picture: 'Change my picture',
  pictureOf: 'Your picture',
  pictureAbout: 'Applications that are allowed to know your profile show this picture.',
  pictureFile: 'New picture',
  pictureHelp: (megabytes) =>
    `JPEG, PNG, WebP or GIF, ${megabytes}\u00a0MB at most. Only the square in the middle is kept; where and when it was taken is erased.`,
  removePicture: 'Remove my picture',
  pictureSaved: 'Your picture is saved',
  pictureSavedAbout: 'Applications show it after you next sign in.',
  pictureRemoved: 'Your picture is removed',
  pictureRemovedAbout: 'It is no longer available. An application may have kept a copy.',
  pictureProblem: {
    missing: { title: 'Choose a picture.', advice: undefined },
    large: (megabytes) => ({
      title: 'This picture is too large.',
      advice: `Choose one of ${megabytes}\u00a0MB at most, or make it smaller.`,
    }),
    kind: { title: 'This file can’t be used.', advice: 'Choose a JPEG, PNG, WebP or GIF picture.' },
    unreadable: {
      title: 'This picture can’t be read.',
      advice: 'The file is damaged, or the image is too big. Choose another one.',
    },
    busy: {
      title: 'Many pictures are arriving right now.',
      advice: 'Your picture was not saved. Try again in a few seconds.',
    },
  },
  pictureOften: (time) => ({
    title: 'You have sent many pictures.',
    advice: `You can send another one in ${time}.`,
  }),
  ownData: 'My data',
  data: 'Download my data',
  dataAbout:
    'One file (JSON) holds everything that this service knows about you: your account, the applications you allowed, your sessions and your activity. It contains no password and no code. Keep it in a safe place.',
  dataSubmit: 'Download the file',
  deletion: 'Request deletion of my account',
  deletionTitle: 'Request deletion of your account?',
  deletionAbout:
    'The team of this service handles your request. Until then your account keeps working, and you can cancel the request.',
  deletionGoes: 'What will be deleted',
  deletionGoesList: [
    'Your account, your names, your picture and your e-mail address',
    'Your password and your other ways to sign in',
    'Your sessions and the access that you gave to applications',
  ],
  deletionStays: 'What will stay',
  deletionStaysList: [
    'The security log (sign-ins, changes), without your name, for as long as this service keeps it',
    'What applications have stored themselves: please contact each of them',
    'Your record in the directory of professionals, which does not depend on this account',
  ],
  deletionSubmit: 'Request deletion',
  deletionNoted: 'Your request is recorded',
  deletionNotedAbout: 'Your account works until it has been handled.',
  deletionRequested: (date) => `You requested deletion of your account on ${date}`,
  deletionWaits: 'The team of this service will handle it. Changed your mind?',
  deletionWithdraw: 'Cancel my request',
  deletionWithdrawn: 'Your request is cancelled',
  deletionWithdrawnAbout: 'Your account will not be deleted.',
};
