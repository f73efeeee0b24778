// The English messages about places of work.

import type { workspace as french } from '#web/messages/fr/workspace.ts';

export const workspace: typeof french = {
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
};
