// operations.md, `directory import`: all that an operator reads of what is refused, checked, loaded and unchanged.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('the directory, word for word', () => {
  let place: Installation;
  let hygie: Installation['hygie'];

  beforeEach(async () => {
    place = await migratedInstallation();
    hygie = inProcess(place);
    place.configure('service.yaml', 'namespace: https://hygie.example\n');
    const people = [activity({ 40: '0472000001' }), activity({ 1: '19000000026', 2: '819000000026', 7: 'PETIT' })];
    writeFileSync(join(place.folder, 'a.txt'), registerText('activities', people.slice(0, 1)));
    writeFileSync(join(place.folder, 'b.txt'), registerText('activities', people));
    writeFileSync(join(place.folder, 'bad.txt'), registerText('activities', [activity({ 2: 'X' })]));
  });

  const said = async (...steps: Parameters<typeof transcript>[1]) => {
    const text = await transcript({ ...place, hygie }, steps);
    return text
      .replaceAll(/\b\d{8}T\d{9}Z-[0-9a-f]+/g, 'SNAPSHOT')
      .replaceAll(/in [\d.]+ s\b/g, 'in N s')
      .replaceAll(/\b\d+ MB/g, 'N MB')
      .replaceAll(/since \d{4}-\d\d-\d\d\b/g, 'since DAY')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d\b/g, 'MINUTE');
  };

  it('import: what is refused, checked, loaded and unchanged', async () => {
    expect(
      await said(
        'directory import DIR/bad.txt --accept partial',
        'directory import DIR/a.txt',
        'directory import DIR/a.txt --accept partial --dry-run',
        'directory import DIR/a.txt --accept partial',
        'directory import DIR/a.txt --accept partial',
        'directory import DIR/absent --accept partial',
        'directory import DIR/a.txt --settle 60s',
        'directory import --watch DIR --json',
        'directory import --watch DIR --dry-run',
        'directory import --watch DIR --accept partial',
        'directory import --watch',
        'directory import --watch DIR DIR',
        'directory import --watch DIR',
        'directory import --watch DIR/absent',
        'directory import --watch DIR --settle 0s',
      ),
    ).toBe(`$ directory import DIR/bad.txt --accept partial
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
! database: DIR/data/hygie.sqlite (development)
! The import is refused; the directory is unchanged.
! unusable-lines (activities): bad.txt: 1 of 1 lines (100.0 %, limit 1.00 %); line 2: national identifier missing or malformed. Take PS_LibreAcces_Personne_activite as published
! minimum (Practitioner): 0 resources (at least 1). Give all files of the edition, whole
! If all of this is meant: hygie directory import --accept partial,unusable-lines:activities,minimum:Practitioner DIR/bad.txt
exit 1
$ directory import DIR/a.txt
> Refused: the directory is unchanged. 1 lines in N s
> Judgement: refused
>   partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given. Give its file, too
>   partial (skills): PS_LibreAcces_SavoirFaire: not given. Give its file, too
>   partial (mailboxes): Extraction_Correspondance_MSSante: not given. Give its file, too
>   partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given. Give its file, too
>
>   register    lines  edition
>   activities      1
>
>   Practitioner     1 (1 added, 0 changed, 0 removed)
>   Organization     1 (1 added, 0 changed, 0 removed)
>   PractitionerRole 1 (1 added, 0 changed, 0 removed)
>
>   1 departments
>
>   Files of DIR:
>     a.txt  activities: 1 lines
! database: DIR/data/hygie.sqlite (development)
! The import is refused; the directory is unchanged.
! partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given. Give its file, too
! partial (skills): PS_LibreAcces_SavoirFaire: not given. Give its file, too
! partial (mailboxes): Extraction_Correspondance_MSSante: not given. Give its file, too
! partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given. Give its file, too
! If all of this is meant: hygie directory import --accept partial DIR/a.txt
exit 1
$ directory import DIR/a.txt --accept partial --dry-run
> Dry run: nothing speaks against this edition. The directory is unchanged. 1 lines in N s
> Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   Practitioner     1 (1 added, 0 changed, 0 removed)
>   Organization     1 (1 added, 0 changed, 0 removed)
>   PractitionerRole 1 (1 added, 0 changed, 0 removed)
>
>   1 departments
>
>   Files of DIR:
>     a.txt  activities: 1 lines
$ directory import DIR/a.txt --accept partial
> Imported: the directory was switched. 1 lines in N s
> Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   Practitioner     1 (1 added, 0 changed, 0 removed)
>   Organization     1 (1 added, 0 changed, 0 removed)
>   PractitionerRole 1 (1 added, 0 changed, 0 removed)
>
>   1 departments
>
>   Files of DIR:
>     a.txt  activities: 1 lines
! database: DIR/data/hygie.sqlite (development)
$ directory import DIR/a.txt --accept partial
> Nothing to do: the directory holds this edition already. 1 lines in N s
> Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   Practitioner     1
>   Organization     1
>   PractitionerRole 1
>
>   1 departments
>
>   Files of DIR:
>     a.txt  activities: 1 lines
! database: DIR/data/hygie.sqlite (development)
$ directory import DIR/absent --accept partial
> Refused: the directory is unchanged.
> Judgement: refused
>   DIR/absent: there is no such file or folder. Check the path.
! database: DIR/data/hygie.sqlite (development)
! The import is refused; the directory is unchanged.
! DIR/absent: there is no such file or folder. Check the path.
exit 1
$ directory import DIR/a.txt --settle 60s
! --settle belongs to --watch.
! See: hygie directory import --help
exit 2
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
! See: hygie directory import --help
exit 2
$ directory import --watch DIR --dry-run
! --dry-run does not go with --watch.
! See: hygie directory import --help
exit 2
$ directory import --watch DIR --accept partial
! --accept does not go with --watch.
! See: hygie directory import --help
exit 2
$ directory import --watch
! directory import needs PATH.
! See: hygie directory import --help
exit 2
$ directory import --watch DIR DIR
! directory import --watch needs one folder.
! See: hygie directory import --help
exit 2
$ directory import --watch DIR
! DIR: Holds the data folder (HYGIE_DATA), which changes all the time. Use a folder of its own for the editions.
exit 1
$ directory import --watch DIR/absent
! DIR/absent: There is no such folder. Make it, or mend the path.
exit 1
$ directory import --watch DIR --settle 0s
! --settle is a time such as 60s or 5m, not "0s".
! See: hygie directory import --help
exit 2`);
  });
});
