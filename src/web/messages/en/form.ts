// The English messages of fields and of the controls beside them.

import type { form as french } from '#web/messages/fr/form.ts';

export const form: typeof french = {
  show: 'Show',
  showAbout: 'Show the password',
  copy: 'Copy',
  copied: 'Copied',
};
