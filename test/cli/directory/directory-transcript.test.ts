// operations.md, `directory`: all that an operator reads from a first import to a rollback and a correction.

import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readPointer } from '#store/snapshots/registry.ts';
import { directoryTranscripts, notGiven } from './directory-transcripts.ts';

describe('the directory, word for word', () => {
  const { hygie, at, database, says } = directoryTranscripts();
  /** The snapshots by letter, as they were loaded. */
  let names: Map<string, string>;

  beforeEach(() => {
    names = new Map();
  });

  const load = async (letter: 'A' | 'B') => {
    const file = at(`${letter.toLowerCase()}.txt`);
    await hygie(['directory', 'import', '--accept', 'partial', file], { env: { HYGIE_OPERATOR: 'ops' } });
    names.set((await readPointer(database())).current ?? '', letter);
  };
  const lettered = (said: string) => [...names].reduce((text, [name, letter]) => text.replaceAll(name, letter), said);
  /** What `directory status` says of the judgement is stated once. */
  const withoutJudgement = (said: string) => lettered(said).replaceAll(/\n> ?\n> The current one\..*(\n>.*)*/g, '');

  it('status, rollback and verify', async () => {
    await says(`$ directory status
> The directory is empty. Import an edition: hygie directory import PATH...
# directory rollback
! There is no previous snapshot to switch to.
exit 1
$ directory verify
! The directory is empty: there is nothing to verify.
exit 1`);
    await load('A');
    await load('B');
    await says(
      `$ directory status
> current  B  served, imported TIME (N min ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
> previous A  rollback switches to it, imported TIME (N min ago), N MB
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
# directory rollback
> Switched: A (imported TIME) is current now, B (imported TIME) is previous.
> A second rollback switches back.
$ directory status
> current  A  served, imported TIME (N min ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
> previous B  rollback switches to it, imported TIME (N min ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>
> The current one. Judgement: accepted with warnings
${notGiven('>   accepted: ')}
>
>   register    lines  edition
>   activities      1
>
>   1 departments`,
      {},
      lettered,
    );
    const [a = '', b = ''] = names.keys();
    const fileOf = (name: string) => at(`data/directory/${name}.sqlite`);
    const whole = readFileSync(fileOf(b));
    rmSync(fileOf(b));
    await says(
      `# directory rollback
! The file of the previous snapshot, B, is not in DIR/data/directory: it was not restored, or was removed.
! Remedy: put B.sqlite back there from a backup made with --with-directory (or run this command where it is), or import the edition again: hygie directory import PATH...
exit 1
$ directory verify {b}
! The snapshot B is not sound.
!   1 errors of the file itself
!     DIR/data/directory/B.sqlite is missing
!   The file is damaged: the rest was not looked at.
! Remedy: it is not served. Do not roll back to it. Later imports remove it; or restore its file from a backup.
exit 1
$ directory verify nothing
! There is no snapshot nothing. Known are B, A: see hygie directory status.
exit 1
$ directory status
> current  A  served, imported TIME (N min ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
> previous B  imported TIME (N min ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>          WITHOUT ITS FILE here: put it back from a backup, or import the edition again
>          DAMAGED, found TIME: hygie directory verify B`,
      { b },
      withoutJudgement,
    );
    writeFileSync(fileOf(b), whole);
    const damaged = readFileSync(fileOf(a));
    chmodSync(fileOf(a), 0o644);
    writeFileSync(fileOf(a), Buffer.concat([damaged.subarray(0, -1), Buffer.from([(damaged.at(-1) ?? 0) ^ 1])]));
    await says(
      `$ directory verify
! The snapshot A is not sound.
!   1 errors of the file itself
!     its checksum is not that of the file that was imported
!   The file is damaged: the rest was not looked at.
! Remedy: import again: hygie directory import PATH... imports the whole edition anew. There is no sound snapshot before it.
exit 1
$ directory status
> current  A  served, imported TIME (N min ago), N MB
>          1 Practitioner; 1 Organization; 1 PractitionerRole
>          DAMAGED, found TIME: hygie directory verify A
> previous B  rollback switches to it, imported TIME (N min ago), N MB
>          2 Practitioner; 1 Organization; 2 PractitionerRole
>          without a date: activities 2 lines
>          DAMAGED, found TIME: hygie directory verify B`,
      {},
      withoutJudgement,
    );
    expect(existsSync(fileOf(b))).toBe(true);
  });

  it('correct and corrections', async () => {
    await load('B');
    await says(
      `$ directory corrections
> id  state  record  name  hidden  value  since  ends  by  reason
# directory correct 19000000018 --reason objection --ends 2099-12-31
> Hidden at Practitioner/819000000018: record (correction 1). All instances hide it within seconds.
# directory correct Practitioner/819000000026 --mailbox all --reason x
! Practitioner/819000000026 has no such mailbox. It has none.
exit 1
# directory correct Organization/R20000000000001 --phone "04 72 00 00 01" --address lyon --reason "moved away"
> Hidden at Organization/R20000000000001: phone (correction 2), address (correction 3). All instances hide it within seconds.
# directory correct Organization/R20000000000001 --mailbox all --reason x
! Organization/R20000000000001 has no such mailbox. It has 0472000001.
exit 1
# directory correct Organization/R20000000000001 --phone 0199999999 --reason x
! Organization/R20000000000001 has no such phone. It has 0472000001: the registers give telephones to the structures where people work.
exit 1
# directory correct Organization/R20000000000001 --address paris --reason x
! Organization/R20000000000001 has no such address. It has {"extension":[{"url":"https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-address-insee-code","valueCoding":{"system":"https://mos.esante.gouv.fr/NOS/TRE_R13-Commune/FHIR/TRE-R13-Commune","code":"69383"}}],"use":"work","line":["12 Rue VICTOR HUGO","69003 LYON"],"city":"Lyon 3e  Arrondissement","postalCode":"69003"}.
exit 1
# directory correct Practitioner/819000000026 --phone 1 --reason x
! Practitioner/819000000026 has no such phone. It has none: the registers give telephones to the structures where people work.
exit 1
$ directory corrections
> id  state     record                        name                  hidden   value       since             ends              by            reason
> 1   in force  Practitioner/819000000018     MME Jeanne MARTIN     record               MINUTE  MINUTE  operator:ops  objection
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE                    operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE                    operator:ops  moved away
# directory correct --end 1 --reason agreed
> Ended: 1. What they hid is shown again within seconds.
$ directory corrections
> id  state     record                        name                  hidden   value       since             ends  by            reason
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE        operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE        operator:ops  moved away
$ directory corrections --all
> id  state     record                        name                  hidden   value       since             ends              by            reason
> 1   ended     Practitioner/819000000018     MME Jeanne MARTIN     record               MINUTE  MINUTE  operator:ops  objection
> 2   in force  Organization/R20000000000001  CABINET DU DR MARTIN  phone    0472000001  MINUTE                    operator:ops  moved away
> 3   in force  Organization/R20000000000001  CABINET DU DR MARTIN  address  lyon        MINUTE                    operator:ops  moved away
# directory correct --end 1
! No correction 1 is in force: hygie directory corrections
exit 1
# directory correct --end mended
> No correction is mended.
$ audit --event directory
> TIME                      EVENT                       ACTOR         ACCOUNT  CLIENT  ADDRESS  REQUEST  DETAILS
> TIME  directory.imported          operator:ops                                     snapshot=B Practitioner=2 Organization=1 PractitionerRole=2 accepted=partial (diplomas): PS_LibreAcces_Dipl_AutExerc: not given; partial (skills): PS_LibreAcces_SavoirFaire: not given; partial (mailboxes): Extraction_Correspondance_MSSante: not given; partial (finess): FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON): not given
> TIME  directory.corrected         operator:ops                                     correction=1 record=Practitioner/819000000018 what=record reason=objection ends=TIME
> TIME  directory.corrected         operator:ops                                     correction=2 record=Organization/R20000000000001 what=phone reason=moved away
> TIME  directory.corrected         operator:ops                                     correction=3 record=Organization/R20000000000001 what=address reason=moved away
> TIME  directory.correction-ended  operator:ops                                     correction=1 record=Practitioner/819000000018 what=record reason=agreed ends=TIME`,
      {},
      lettered,
    );
  });
});
