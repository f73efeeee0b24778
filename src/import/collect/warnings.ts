// The kinds of warnings about an edition. An edition is never refused because of a warning: the report counts the warnings of each kind and
// gives examples.

import { printable, shorten } from '#shared/log/printable.ts';

/** Oddities that every published edition has, each with its words in the report. They give no reason to look at an edition more closely. */
const ORDINARY = {
  'bad-check-digit': 'identifiers whose check digit is wrong (kept as published)',
  'duplicate-line': 'lines that repeat another one exactly (read once)',
  'unknown-person': 'persons of other files without any line in the register of activities (left out)',
  'unknown-structure': 'structures with a FINESS number that the FINESS files do not hold (kept)',
  'known-by-reference': 'legal entities known by their number only (kept without a name)',
  'mail-without-structure': 'structures known from their secure mail address only (kept)',
  'shared-siret': 'secure mail addresses of a SIRET number that stands under several structures (given to each)',
  'meaningless-number': 'telephone numbers without meaning (left out)',
  'not-an-address': 'mail addresses that are none, such as one without @ (left out)',
  'mailbox-of-another': "mailboxes that carry another's name and nothing of the owner's (kept)",
  'same-person-twice': 'people with the name, profession and structure of another one (kept)',
  'not-a-register': 'files of a folder that are not a register (left out)',
  'passed-over-edition': 'files of a folder that hold an older edition than others there (left out)',
  'other-day': 'registers of structures that are of another day than those of people (read)',
  'closed-structure': 'structures that FINESS has closed (left out, as in its text files)',
  'impossible-position':
    'positions of structures where they cannot be: outside the area of their coordinates, or far from their department (left out)',
  'both-finess-forms': 'structures in the FINESS text files and in its JSON feed (the JSON feed is kept)',
  'repeated-resource': 'FHIR resources given more than once, the same each time (kept once)',
  'resource-over-register': 'FHIR resources that registers describe too (the FHIR resource is kept as it is)',
} as const;

/** Oddities that an operator should look at, each with its words in the report. */
const NOTABLE = {
  'control-character': 'lines with control characters (removed)',
  'invisible-character': 'lines with characters that nobody sees, such as zero-width blanks and soft hyphens (removed)',
  'unusual-form':
    'lines with no-break blanks or with accents apart from their letters (kept as blanks and accented letters)',
  'broken-character': 'lines with half a character, a lone surrogate (U+FFFD stands in its place)',
  'line-of-another': 'persons with lines of another register that name somebody else (those lines are left out)',
  'fused-people': 'national identifiers with lines of two people in the register of activities',
  'test-person': 'people with the name of a test (kept)',
  'no-name': 'persons without a name (kept)',
  'unreadable-previous': 'snapshots before this one that this release cannot read (versions begin anew)',
  'not-pruned': 'old snapshots that could not be deleted (tried again by the next import)',
  'links-not-compared': 'comparisons of linked accounts that could not be finished (import the same files again)',
  'drifted-header': 'columns recognised by most words of their header',
  'implausible-date': 'files of a folder with a date that no edition can have (left out)',
  'repeated-file': 'files with the content of another one (read once)',
  'other-date': 'files whose name and content say different dates (that of the content counts)',
  'old-structures':
    'registers of structures much older than the newest register (read; FINESS text is no longer renewed, take its JSON)',
  'absent-register': 'registers that the operator accepted to be missing, and that are missing still',
  'checksum-unread': 'checksum files in which no checksum is found (not compared)',
  'checksum-without-file': 'checksums of files that are not there',
  'checksum-of-platform':
    'files with the size and not the checksum that data.gouv.fr states (read: the checksum may be an older one)',
  'windows-1252': 'lines in Windows-1252 (read as such)',
  'unknown-projection': 'positions of structures in coordinates that Hygie does not know (left out)',
  'unknown-key': 'names of FINESS JSON that Hygie does not know (left out)',
  'respelled-key': 'names of FINESS JSON in another spelling (read)',
  'absent-key': 'names of FINESS JSON that no structure of a large file has',
  'misfit-value': 'names of FINESS JSON whose value is not of the expected kind (read where it can be)',
  'later-schema': 'files of FINESS JSON of a later version (read by the names that are known)',
  'fused-structures': 'structures of FINESS that share a number with another one',
  'fused-in-activities': 'structures with lines of another name and town in the register of activities (taken for one)',
  'conflicting-resource':
    'FHIR resources given in several versions (the latest by meta.lastUpdated, else the first, is kept)',
  'rewritten-number': 'FHIR resources with a number such as 1.00 (kept as 1)',
  'invisible-in-resource': 'FHIR resources with characters that nobody sees (kept; searches do not see them either)',
  'implausible-birth-date': 'FHIR resources with a birth date in the future or more than 130 years ago (kept as given)',
  'further-pages': 'search results with further pages (only the page that was given is read)',
} as const;

/** All kinds of oddities, each with its words in the report. */
export const WARNINGS = { ...ORDINARY, ...NOTABLE } as const;

export type WarningKind = keyof typeof WARNINGS;

/** Maximum length of an example in characters. There is a maximum because a name in a file may be as long as the file. */
export const LONGEST_EXAMPLE = 1000;

/** Returns an example as the report shows it: shortened and printable. */
export function exampleText(example: string): string {
  return printable(shorten(example, LONGEST_EXAMPLE));
}

/** Tells whether warnings of this kind occur in every published edition. */
export function isOrdinary(kind: WarningKind): boolean {
  return kind in ORDINARY;
}

export interface WarningSummary {
  kind: WarningKind;
  meaning: string;
  count: number;
  examples: string[];
}

/** Returns the warnings of the notable kinds as sentences. An operator should look at them. */
export function notable(warnings: readonly WarningSummary[]): string[] {
  return warnings
    .filter(({ kind }) => !isOrdinary(kind))
    .map(({ count, meaning, examples: [example] }) => `${count} ${meaning}, such as ${example}`);
}

/** Reports one oddity. The example names the value or resource and, if known, its file and line. */
export type Warn = (kind: WarningKind, example: string) => void;
