// operations.md, `directory`: all that an operator reads from a first import to a rollback and a correction.

import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('the directory, word for word', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  /** The snapshots by letter, as they were loaded. */
  let names: Map<string, string>;

  beforeEach(async () => {
    place = await migratedInstallation();
    hygie = inProcess(place);
    names = new Map();
    place.configure('service.yaml', 'namespace: https://hygie.example\n');
    const people = [activity({ 40: '0472000001' }), activity({ 1: '19000000026', 2: '819000000026', 7: 'PETIT' })];
    writeFileSync(join(place.folder, 'a.txt'), registerText('activities', people.slice(0, 1)));
    writeFileSync(join(place.folder, 'b.txt'), registerText('activities', people));
    writeFileSync(join(place.folder, 'bad.txt'), registerText('activities', [activity({ 2: 'X' })]));
  });

  const current = async () => {
    const database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
    const { current: id = '' } = await readPointer(database);
    await database.destroy();
    return id;
  };
  const load = async (letter: 'a' | 'b') => {
    await hygie(['directory', 'import', '--accept', 'partial', join(place.folder, `${letter}.txt`)], {
      env: { HYGIE_OPERATOR: 'ops' },
    });
    names.set(await current(), letter.toUpperCase());
  };
  const said = async (...steps: Parameters<typeof transcript>[1]) => {
    let text = await transcript({ ...place, hygie }, steps);
    for (const [name, letter] of names) text = text.replaceAll(name, letter);
    return text
      .replaceAll(/\b\d{8}T\d{9}Z-[0-9a-f]+/g, 'SNAPSHOT')
      .replaceAll(/in [\d.]+ s\b/g, 'in N s')
      .replaceAll(/\b\d+ MB/g, 'N MB')
      .replaceAll(/since \d{4}-\d\d-\d\d\b/g, 'since DAY')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d\b/g, 'MINUTE');
  };

  it('status, rollback and verify', async () => {
    await load('a');
    await load('b');
    expect(
      await said('directory status', 'directory verify', 'directory rollback', 'directory status'),
    ).toBe(`$ directory status
> current  B  served, imported TIME (0 h ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
> previous A  rollback switches to it, imported TIME (0 h ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
>          without a date: activities 1 lines
>
> The current one. Judgement: accepted with warnings
>   4 registers that the operator accepted to be missing, and that are missing still, such as PS_LibreAcces_Dipl_AutExerc since DAY
>
>   register    lines  before  edition  before
>   activities      2       1
>
>   1 departments; changed most: 69: 2 -> 3
>   activities, "Téléphone (coord. structure)": filled 100.0 % -> 50.0 %
>   Practitioner added, such as 819000000026
>   PractitionerRole added, such as 819000000026-13qzmsb1x6rzcc
$ directory verify
> Sound: B was read and checked in N s: 2 Practitioner, 1 Organization, 2 PractitionerRole.
$ directory rollback
> Switched: A (imported TIME) is current now, B (imported TIME) is previous.
> A second rollback switches back.
! database: DIR/data/hygie.sqlite (development)
$ directory status
> current  A  served, imported TIME (0 h ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
> previous B  rollback switches to it, imported TIME (0 h ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>
> The current one. Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   1 departments`);
    const [a = '', b = ''] = names.keys();
    const fileOf = (name: string) => join(place.folder, 'data', 'directory', `${name}.sqlite`);
    const whole = readFileSync(fileOf(b));
    rmSync(fileOf(b));
    expect(
      await said('directory rollback', `directory verify ${b}`, 'directory verify nothing', 'directory status'),
    ).toBe(`$ directory rollback
! database: DIR/data/hygie.sqlite (development)
! The file of the snapshot before, B, is not in DIR/data/directory: it was not restored, or was removed.
! Remedy: put B.sqlite back there from a backup made with --with-directory (or run this command where it is), or import the edition again: hygie directory import PATH...
exit 1
$ directory verify B
! The snapshot B is not sound.
!   1 errors of the file itself
!     DIR/data/directory/B.sqlite is missing
!   The file is damaged: the rest was not looked at.
! Remedy: it is not served. Do not roll back to it; the next imports push it out, or restore its file from a backup.
exit 1
$ directory verify nothing
! There is no snapshot nothing. Known are B, A: see hygie directory status.
exit 1
$ directory status
> current  A  served, imported TIME (0 h ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
> previous B  imported TIME (0 h ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>          WITHOUT ITS FILE here: put it back from a backup, or import the edition again
>          DAMAGED, found TIME: hygie directory verify B
>
> The current one. Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   1 departments`);
    writeFileSync(fileOf(b), whole);
    const damaged = readFileSync(fileOf(a));
    chmodSync(fileOf(a), 0o644);
    writeFileSync(fileOf(a), Buffer.concat([damaged.subarray(0, -1), Buffer.from([(damaged.at(-1) ?? 0) ^ 1])]));
    expect(await said('directory verify', 'directory status')).toBe(`$ directory verify
! The snapshot A is not sound.
!   1 errors of the file itself
!     its checksum is not that of the file that was imported
!   The file is damaged: the rest was not looked at.
! Remedy: import again: hygie directory import PATH... imports the whole edition anew. There is no sound snapshot before it.
exit 1
$ directory status
> current  A  served, imported TIME (0 h ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
>          DAMAGED, found TIME: hygie directory verify A
> previous B  rollback switches to it, imported TIME (0 h ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>          DAMAGED, found TIME: hygie directory verify B
>
> The current one. Judgement: accepted with warnings
>   accepted: partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given
>   accepted: partial (skills): PS_LibreAcces_SavoirFaire: not given
>   accepted: partial (mailboxes): Extraction_Correspondance_MSSante: not given
>   accepted: partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
>
>   register    lines  edition
>   activities      1
>
>   1 departments`);
    expect(existsSync(fileOf(b))).toBe(true);
  });

  it('correct and corrections', async () => {
    await load('b');
    expect(
      await said(
        'directory corrections',
        'directory correct 19000000018 --reason objection --ends 2099-12-31',
        'directory correct Practitioner/819000000026 --mailbox all --reason x',
        'directory correct Organization/R20000000000001 --phone "04 72 00 00 01" --address lyon --reason "moved away"',
        'directory correct Organization/R20000000000001 --mailbox all --reason x',
        'directory correct Organization/R20000000000001 --phone 0199999999 --reason x',
        'directory correct Organization/R20000000000001 --address paris --reason x',
        'directory correct Practitioner/819000000026 --phone 1 --reason x',
        'directory corrections',
        'directory correct --end 1 --reason agreed',
        'directory corrections',
        'directory corrections --all',
        'directory correct --end 1',
        'directory correct --end mended',
        'audit --event directory',
      ),
    ).toBe(`$ directory corrections
> id  state  record  name  hidden  value  since  ends  by  reason
$ directory correct 19000000018 --reason objection --ends 2099-12-31
> Hidden at Practitioner/819000000018: record (correction 1). All instances take it out within seconds.
! database: DIR/data/hygie.sqlite (development)
$ directory correct Practitioner/819000000026 --mailbox all --reason x
! database: DIR/data/hygie.sqlite (development)
! Practitioner/819000000026 has no such mailbox. It has none.
exit 1
$ directory correct Organization/R20000000000001 --phone "04 72 00 00 01" --address lyon --reason "moved away"
> Hidden at Organization/R20000000000001: phone (correction 2), address (correction 3). All instances take it out within seconds.
! database: DIR/data/hygie.sqlite (development)
$ directory correct Organization/R20000000000001 --mailbox all --reason x
! database: DIR/data/hygie.sqlite (development)
! Organization/R20000000000001 has no such mailbox. It has 0472000001.
exit 1
$ directory correct Organization/R20000000000001 --phone 0199999999 --reason x
! database: DIR/data/hygie.sqlite (development)
! Organization/R20000000000001 has no such phone. It has 0472000001: the registers give telephones to the structures where people work.
exit 1
$ directory correct Organization/R20000000000001 --address paris --reason x
! database: DIR/data/hygie.sqlite (development)
! Organization/R20000000000001 has no such address. It has {"extension":[{"url":"https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-address-insee-code","valueCoding":{"system":"https://mos.esante.gouv.fr/NOS/TRE_R13-Commune/FHIR/TRE-R13-Commune","code":"69383"}}],"use":"work","line":["12 Rue VICTOR HUGO","69003 LYON"],"city":"Lyon 3e  Arrondissement","postalCode":"69003"}.
exit 1
$ directory correct Practitioner/819000000026 --phone 1 --reason x
! database: DIR/data/hygie.sqlite (development)
! Practitioner/819000000026 has no such phone. It has none: the registers give telephones to the structures where people work.
exit 1
$ directory corrections
> id  state     record                        name                  hidden   value       since             ends              by            reason
> 1   in force  Practitioner/819000000018     MME Jeanne MARTIN     record               MINUTE  MINUTE  operator:ops  objection
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE                    operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE                    operator:ops  moved away
$ directory correct --end 1 --reason agreed
> Ended: 1. What they hid is shown again within seconds.
! database: DIR/data/hygie.sqlite (development)
$ directory corrections
> id  state     record                        name                  hidden   value       since             ends  by            reason
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE        operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE        operator:ops  moved away
$ directory corrections --all
> id  state     record                        name                  hidden   value       since             ends              by            reason
> 1   ended     Practitioner/819000000018     MME Jeanne MARTIN     record               MINUTE  MINUTE  operator:ops  objection
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE                    operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE                    operator:ops  moved away
$ directory correct --end 1
! database: DIR/data/hygie.sqlite (development)
! No correction 1 is in force: hygie directory corrections
exit 1
$ directory correct --end mended
> None is mended.
! database: DIR/data/hygie.sqlite (development)
$ audit --event directory
> TIME                      EVENT                       ACTOR         ACCOUNT  CLIENT  ADDRESS  REQUEST  DETAILS
> TIME  directory.imported          operator:ops                                     snapshot=B Practitioner=2 Organization=1 PractitionerRole=2 accepted=partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given; partial (skills): PS_LibreAcces_SavoirFaire: not given; partial (mailboxes): Extraction_Correspondance_MSSante: not given; partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
> TIME  directory.corrected         operator:ops                                     correction=1 record=Practitioner/819000000018 what=record reason=objection ends=TIME
> TIME  directory.corrected         operator:ops                                     correction=2 record=Organization/R20000000000001 what=phone reason=moved away
> TIME  directory.corrected         operator:ops                                     correction=3 record=Organization/R20000000000001 what=address reason=moved away
> TIME  directory.correction-ended  operator:ops                                     correction=1 record=Practitioner/819000000018 what=record reason=agreed ends=TIME`);
  });
});
