// Transcripts of the directory's commands: an installation with three editions of one file each, `a.txt`, `b.txt` and `bad.txt`.

import { beforeEach } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

export function directoryTranscripts() {
  const all = transcripts();
  beforeEach(() => {
    all.configure('service.yaml', 'namespace: https://hygie.example\n');
    const people = [activity({ 40: '0472000001' }), activity({ 1: '19000000026', 2: '819000000026', 7: 'PETIT' })];
    all.file('a.txt', registerText('activities', people.slice(0, 1)));
    all.file('b.txt', registerText('activities', people));
    all.file('bad.txt', registerText('activities', [activity({ 2: 'X' })]));
  });
  return all;
}
