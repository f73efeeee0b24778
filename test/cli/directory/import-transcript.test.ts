// operations.md, `directory import`: all that an operator reads of what is refused, checked, loaded and unchanged.

import { describe, it } from '@jest/globals';
import { directoryTranscripts, notGiven } from './directory-transcripts.ts';

const REMEDY = '. Give its file, too';
const ACCEPTED = `> Judgement: accepted with warnings
${notGiven('>   accepted: ')}`;
const ADDED = ' (1 added, 0 changed, 0 removed)';
/** The report of an edition with one person, from its registers on. */
const reportOf = (changes: string) => `>
>   register    lines  edition
>   activities      1
>
>   Practitioner     1${changes}
>   Organization     1${changes}
>   PractitionerRole 1${changes}
>
>   1 departments
>
>   Files of DIR:
>     a.txt  activities: 1 lines`;

describe('the directory, word for word', () => {
  const { says } = directoryTranscripts();

  it('import: what is refused, checked, loaded and unchanged', async () => {
    await says(`# directory import DIR/bad.txt --accept partial
> Refused: the directory is unchanged. 1 lines in N s
> Judgement: refused
>   unusable-lines (activities): bad.txt: 1 of 1 lines (100.0 %, limit 1.00 %); line 2: national identifier missing or malformed. Take PS_LibreAcces_Personne_activite as published
>   minimum (Practitioner): 0 resources (at least 1). Give all files of the edition, whole
>
>   register    lines  edition
>   activities      1
>
>   Practitioner     0 (0 added, 0 changed, 0 removed)
>   Organization     0 (0 added, 0 changed, 0 removed)
>   PractitionerRole 0 (0 added, 0 changed, 0 removed)
>
>   1 lines left out
>     bad.txt, line 2: national identifier missing or malformed
>
>   Files of DIR:
>     bad.txt  activities: 1 lines, 1 left out
! The import is refused; the directory is unchanged.
! unusable-lines (activities): bad.txt: 1 of 1 lines (100.0 %, limit 1.00 %); line 2: national identifier missing or malformed. Take PS_LibreAcces_Personne_activite as published
! minimum (Practitioner): 0 resources (at least 1). Give all files of the edition, whole
! If all of this is meant: hygie directory import --accept partial,unusable-lines:activities,minimum:Practitioner DIR/bad.txt
exit 1
# directory import DIR/a.txt
> Refused: the directory is unchanged. 1 lines in N s
> Judgement: refused
${notGiven('>   ', REMEDY)}
${reportOf(ADDED)}
! The import is refused; the directory is unchanged.
${notGiven('! ', REMEDY)}
! If all of this is meant: hygie directory import --accept partial DIR/a.txt
exit 1
$ directory import DIR/a.txt --accept partial --dry-run
> Dry run: nothing speaks against this edition. The directory is unchanged. 1 lines in N s
${ACCEPTED}
${reportOf(ADDED)}
# directory import DIR/a.txt --accept partial
> Imported: the directory was switched. 1 lines in N s
${ACCEPTED}
${reportOf(ADDED)}
# directory import DIR/a.txt --accept partial
> Nothing to do: the directory holds this edition already. 1 lines in N s
${ACCEPTED}
${reportOf('')}
# directory import DIR/absent --accept partial
> Refused: the directory is unchanged.
> Judgement: refused
>   DIR/absent: there is no such file or folder. Check the path.
! The import is refused; the directory is unchanged.
! DIR/absent: there is no such file or folder. Check the path.
exit 1
$ directory import DIR/a.txt --settle 60s
! --settle belongs to --watch.
exit 2: directory import --help
$ directory import --watch DIR --json
> {
>   "outcome": "refused",
>   "judgement": {
>     "verdict": "refused",
>     "reasons": [
>       "--json does not go with --watch."
>     ],
>     "registers": [],
>     "columns": [],
>     "departments": [],
>     "consistency": [],
>     "doubtful": []
>   },
>   "files": [],
>   "lines": 0,
>   "resources": {
>     "Practitioner": 0,
>     "Organization": 0,
>     "PractitionerRole": 0
>   },
>   "warnings": [],
>   "linesLeftOut": {
>     "count": 0,
>     "examples": []
>   },
>   "guards": [],
>   "seconds": 0,
>   "phases": {}
> }
! --json does not go with --watch.
exit 2: directory import --help
$ directory import --watch DIR --dry-run
! --dry-run does not go with --watch.
exit 2: directory import --help
$ directory import --watch DIR --accept partial
! --accept does not go with --watch.
exit 2: directory import --help
$ directory import --watch
! directory import needs PATH.
exit 2: directory import --help
$ directory import --watch DIR DIR
! directory import --watch needs one folder.
exit 2: directory import --help
$ directory import --watch DIR
! DIR: Holds the data folder (HYGIE_DATA), which changes all the time. Use a folder of its own for the editions.
exit 1
$ directory import --watch DIR/absent
! DIR/absent: There is no such folder. Make it, or mend the path.
exit 1
$ directory import --watch DIR --settle 0s
! --settle is a time such as 60s or 5m, not "0s".
exit 2: directory import --help`);
  });
});
