// Transcripts of the directory's commands: an installation with three editions of one file each, `a.txt`, `b.txt` and `bad.txt`.

import { beforeEach } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const NOT_GIVEN = [
  'diplomas): PS_LibreAcces_Dipl_AutExerc',
  'skills): PS_LibreAcces_SavoirFaire',
  'mailboxes): Extraction_Correspondance_MSSante',
  'finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)',
];

/** What is said of the registers that no edition of these tests has. */
export const notGiven = (before: string, after = ''): string =>
  NOT_GIVEN.map((register) => `${before}partial (${register}: not given${after}`).join('\n');

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
