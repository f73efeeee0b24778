// Specification 2.3, 2.4 and 4.5, and fhir-stu3 for PractitionerRole: each search key of each type and its matching rule, by fhir-kit-client.

import { describe, expect, it } from '@jest/globals';
import { FINESS, NATIONAL, PROFESSION, ROLE, RPPS, SPECIALTY } from '#support/directory/edition.ts';
import { idsOf } from '#support/directory/reading.ts';
import { type Finds, indexedDirectory, itSearches, type Refuses } from '#support/directory/set-up.ts';

const PLAIN_RPPS = RPPS.replace('https:', 'http:');

const PRACTITIONER_FINDS: readonly Finds[] = [
  ['name: the beginning of a word of the family name', { name: 'duv' }, ['prat-1']],
  ['name: a later word of a double name', { name: 'lebr' }, ['prat-1']],
  ['name: a given name', { name: 'mari' }, ['prat-1']],
  ['name: never the middle of a word', { name: 'uval' }, []],
  ['name: 2 characters are enough', { name: 'xi' }, ['prat-5']],
  ['name: an apostrophe beside 2 characters', { name: "n'g" }, ['prat-3']],
  ['name: a ligature is 2 characters', { name: 'œ' }, []],
  ['name: words in any order, all of them', { name: 'mar duv' }, ['prat-1']],
  ['name: one word that begins nothing', { name: 'duval pierre' }, []],
  ['name: accents and case aside', { name: 'HELENE' }, ['prat-1']],
  ['name: oe is the same as its ligature', { name: 'leboeuf' }, ['prat-2']],
  ['name: an apostrophe separates words', { name: 'guyen' }, ['prat-3']],
  ['name: written together', { name: 'nguyen' }, ['prat-3']],
  ['name: written together, as a whole word only', { name: 'nguye' }, []],
  ['name: hyphen or blank are the same', { name: 'duval lebrun' }, ['prat-1']],
  ['name: not the prefix', { name: 'dr' }, []],
  ['name: no equivalents in names of people', { name: 'saint amand' }, []],
  ['name: the comma is OR', { name: 'duv,wu' }, ['prat-1', 'prat-5']],
  ['name: repeated is AND', { name: ['duv', 'mar'] }, ['prat-1']],
  ['name: an escaped comma separates words, not values', { name: 'duval\\,lebrun' }, ['prat-1']],
  ['identifier: RPPS with system', { identifier: `${RPPS}|10000000011` }, ['prat-1']],
  ['identifier: RPPS without system', { identifier: '10000000011' }, ['prat-1']],
  ['identifier: RPPS with the system in its http spelling', { identifier: `${PLAIN_RPPS}|10000000011` }, ['prat-1']],
  ['identifier: http of another service', { identifier: 'http://other.example/x|10000000011' }, []],
  ['identifier: national identifier with system', { identifier: `${NATIONAL}|810000000029` }, ['prat-2']],
  ['identifier: exact only, not the beginning', { identifier: '1000000001' }, []],
  ['identifier: the value of another system', { identifier: `${NATIONAL}|10000000011` }, []],
  ['identifier: |value has no system', { identifier: '|LOCAL-prat-5' }, ['prat-5']],
  ['identifier: |value where there is a system', { identifier: '|10000000011' }, []],
  ['identifier: the comma is OR', { identifier: `10000000011,${RPPS}|10000000029` }, ['prat-1', 'prat-2']],
  ['identifier: case counts', { identifier: 'local-prat-5' }, []],
  ['identifier: an escaped | is part of the value', { identifier: `${RPPS}\\|10000000011` }, []],
  ['identifier: blanks around do not count', { identifier: ' 10000000011 ' }, ['prat-1']],
  ['qualification: code', { qualification: '10' }, ['prat-1', 'prat-2']],
  ['qualification: system|code', { qualification: `${PROFESSION}|50` }, ['prat-3']],
  ['qualification: another system', { qualification: 'urn:other|50' }, []],
  ['qualification: the label, case and accents aside', { qualification: 'medecin' }, ['prat-1', 'prat-2']],
  ['qualification: the label with its accent', { qualification: 'Médecin' }, ['prat-1', 'prat-2']],
  ['qualification: exact only, not the beginning of a label', { qualification: 'mede' }, []],
  ['qualification: a label with a comma, escaped', { qualification: 'Audioprothésiste\\, expert' }, ['prat-4']],
  ['address: the beginning of each word', { address: 'egl pont' }, ['prat-1']],
  ['address: words in any order', { address: 'paris leclerc' }, ['prat-1']],
  ['address: all words within one address', { address: 'eglise paris' }, []],
  ['address: bd finds boulevard and the other way round', { address: 'boulevard general leclerc' }, ['prat-1']],
  ['address: saint finds st', { address: 'avenue saint martin' }, ['prat-2']],
  ['address: sa does not find st', { address: 'av sa martin' }, []],
  ['address: one letter is enough', { address: 'n', name: 'leb' }, ['prat-2']],
  ['address: repeated may be met by two addresses', { address: ['eglise', 'paris'] }, ['prat-1']],
  ['telecom: the messaging address', { telecom: 'helene.duval@mail.example' }, ['prat-1']],
  ['telecom: case aside', { telecom: 'JEAN.leboeuf@MAIL.example' }, ['prat-2']],
  ['telecom: exact only', { telecom: 'helene.duval' }, []],
  ['telecom: with another system', { telecom: 'phone|helene.duval@mail.example' }, []],
  ['telecom: any of a system', { telecom: 'email|' }, ['prat-1', 'prat-2']],
  ['email', { email: 'Jean2@other.EXAMPLE' }, ['prat-2']],
  ['email: with another system', { email: 'phone|jean2@other.example' }, []],
  ['email: exact only', { email: 'jean2@other' }, []],
  ['phone is no mail address', { phone: 'jean2@other.example' }, []],
  ['mailbox-mss: the address, case aside', { 'mailbox-mss': 'HELENE.duval@mail.example' }, ['prat-1']],
  ['mailbox-mss: not an ordinary mailbox', { 'mailbox-mss': 'jean2@other.example' }, []],
  ['mailbox-mss: a | is part of the value', { 'mailbox-mss': 'email|helene.duval@mail.example' }, []],
  ['mailbox-mss: the comma is OR', { 'mailbox-mss': 'jean.leboeuf@mail.example,x@y.example' }, ['prat-2']],
  ['two keys are AND', { name: 'jean', qualification: '21' }, ['prat-2']],
  ['family', { family: 'duv,zz' }, ['prat-1']],
  ['family is not the given name', { family: 'helene' }, []],
  ['given', { given: 'marie' }, ['prat-1']],
  ['active', { active: 'false' }, ['prat-3']],
  ['address-city, equivalents included', { 'address-city': 'nanc' }, ['prat-2']],
  ['address-postalcode, by its beginning', { 'address-postalcode': '253' }, ['prat-1']],
  ['_id', { _id: 'prat-2' }, ['prat-2']],
  ['_id: several, in alphabetical order', { _id: 'prat-5,prat-2,nobody' }, ['prat-2', 'prat-5']],
  ['a value of signs alone begins no word', { address: '--' }, []],
  ['a value of signs alone beside another one', { address: '--,nancy' }, ['prat-2']],
];

const PRACTITIONER_REFUSES: readonly Refuses[] = [
  ['name: 1 character is too short', { name: 'd' }, 'http.name', /at least 2 characters/],
  ['name: counted after trimming', { name: ' d ' }, 'http.name', /at least 2 characters/],
  ['name: an accent is no character of its own', { name: 'e\u0301' }, 'http.name', /at least 2 characters/],
  ['name: counted for each OR-value', { name: 'duval,d' }, 'http.name', /at least 2 characters/],
  ...['a.', 'a-', "n'", '.a.', '--', '%%'].map((name): Refuses => {
    return [`name: signs are no characters: ${name}`, { name }, 'http.name', /at least 2 characters that are letters/];
  }),
  ['name: signs are no characters beside a longer value', { name: 'duval,a.' }, 'http.name', /at least 2 characters/],
  ['email without a system', { email: '|a@b.example' }, 'http.email', /one of phone, fax, email/],
  ['_id: a reference in a list', { _id: 'prat-1,Practitioner/prat-2' }, 'http._id', /without Practitioner\//],
  ['_id: an address', { _id: 'https://x.example/prat-1' }, 'http._id', /without https:\/\/x\.example\/: send prat-1/],
  ['_id: too long for one', { _id: 'a'.repeat(65) }, 'http._id', /is an id: 1 to 64/],
];

describe('2.3 Practitioner', () => {
  const on = indexedDirectory();
  itSearches(
    on,
    { section: '2.3', type: 'Practitioner', token: 'practitioners' },
    PRACTITIONER_FINDS,
    PRACTITIONER_REFUSES,
  );

  it('4.5 GET /Practitioner without criteria gives everybody, in alphabetical order', async () => {
    const bundle = await on.directory.client().search({ resourceType: 'Practitioner' });
    expect(bundle['total']).toBe(128);
    expect(idsOf(bundle).slice(0, 5)).toEqual(['prat-1', 'prat-2', 'prat-3', 'prat-4', 'prat-5']);
  });
});

const ORGANIZATION_FINDS: readonly Finds[] = [
  ['name: the beginning of a word', { name: 'ped' }, ['org-2']],
  ['name: not the middle of a word', { name: 'diatrie' }, []],
  ['name: the alias too', { name: 'ch st luc' }, ['org-1']],
  ['name: st finds saint', { name: 'centre st luc' }, ['org-1']],
  ['name: boulevard finds bd', { name: 'boulevard' }, ['org-4']],
  ['name: words within one name', { name: 'luc centre' }, ['org-1']],
  ['name: words of two names do not mix', { name: 'hospitalier ch-st' }, []],
  ['identifier: value', { identifier: '250000015' }, ['org-1']],
  ['identifier: exact only', { identifier: '25000001' }, []],
  ['identifier: system|', { identifier: `${FINESS}|`, name: 'pharm' }, ['org-4']],
  ['address: words by their beginning', { address: 'rue faubourg pont' }, ['org-1', 'org-2']],
  ['address: only a whole abbreviation stands for its word', { address: 'rue faub pont' }, ['org-2']],
  ['address: chemin finds che', { address: 'chemin nancy' }, ['org-3']],
  ['part-of: Organization/<id>', { 'part-of': 'Organization/org-1' }, ['org-3', 'org-2']],
  ['part-of: <id>', { 'part-of': 'org-1' }, ['org-3', 'org-2']],
  ['part-of: a parent without children', { 'part-of': 'Organization/org-4' }, []],
  ['part-of: an address elsewhere', { 'part-of': 'https://other.example/fhir/Organization/org-1' }, []],
  ['part-of: the comma is OR', { 'part-of': 'Organization/org-4,Organization/org-1' }, ['org-3', 'org-2']],
  ["partof, HL7's spelling", { partof: 'Organization/org-1' }, ['org-3', 'org-2']],
  ['type', { type: '500' }, ['org-3']],
  ['type: the label, case and accents aside', { type: 'etablissement POUR personnes agées' }, ['org-3']],
  ['type: exact only, not the beginning of a label', { type: 'etablissement' }, []],
  ['type: a system with a label', { type: 'urn:oid:1.2.250.1.213.2.28|Centre Hospitalier (C.H.)' }, []],
  ['telecom: a number as it is written', { telecom: '+33 3 81 00 00 01' }, ['org-1']],
  ['telecom: a fax and a telephone with the same number', { telecom: '0381000002' }, ['org-1', 'org-4']],
  ['telecom: the telephone alone', { telecom: 'phone|03 81 00 00 02' }, ['org-4']],
  ['phone: no fax', { phone: '03 81 00 00 02' }, ['org-4']],
  ['phone: with the code of the country', { phone: '+33381000001,0033 3 81 00 00 02' }, ['org-1', 'org-4']],
  ['phone: exact only', { phone: '03810000' }, []],
  ['phone is no mail address', { phone: 'ch@mail.example' }, []],
  ['email', { email: 'BD@shop.example' }, ['org-4']],
  ['email is no number', { email: '0381000001' }, []],
  ['mailbox-mss', { 'mailbox-mss': 'ch@mail.example' }, ['org-1']],
  ['active', { active: 'true', name: 'ehpad' }, ['org-3']],
  ['address-city', { 'address-city': 'pont' }, ['org-1', 'org-2']],
  ['address-postalcode', { 'address-postalcode': '540' }, ['org-3']],
  ['_id', { _id: 'org-2' }, ['org-2']],
];

const ORGANIZATION_REFUSES: readonly Refuses[] = [
  ['name: 1 character', { name: 'p' }, 'http.name', /at least 2 characters/],
  ['name: 1 character and a sign', { name: 'p.' }, 'http.name', /at least 2 characters/],
  ['part-of: another type', { 'part-of': 'Practitioner/prat-1' }, 'http.part-of', /Organization\/ID/],
  ['part-of: no reference', { 'part-of': 'Organization/' }, 'http.part-of', /Organization\/ID/],
  ['part-of: a version', { 'part-of': 'Organization/org-1/_history/1' }, 'http.part-of', /Organization\/ID/],
  ['a key of people', { qualification: '10' }, 'http.qualification', /no search parameter of Organization/],
  ['a modifier', { 'part-of:above': 'org-1' }, 'http.part-of:above', /modifier/],
];

describe('2.4 Organization', () => {
  const on = indexedDirectory();
  itSearches(
    on,
    { section: '2.4', type: 'Organization', token: 'organizations' },
    ORGANIZATION_FINDS,
    ORGANIZATION_REFUSES,
  );

  it("2.4 part-of: the parent's absolute address here", async () => {
    const searchParams = { 'part-of': `${on.directory.base}/Organization/org-1` };
    const bundle = await on.directory.client().search({ resourceType: 'Organization', searchParams });
    expect(idsOf(bundle)).toEqual(['org-3', 'org-2']);
  });
});

const ROLE_FINDS: readonly Finds[] = [
  ['practitioner: Practitioner/<id>', { practitioner: 'Practitioner/prat-1' }, ['prat-1-a', 'prat-1-b']],
  ['practitioner: <id>', { practitioner: 'prat-2' }, ['prat-2-a']],
  ['practitioner: one that is not there', { practitioner: 'gone' }, ['gone-a']],
  ['practitioner: nobody', { practitioner: 'nobody' }, []],
  ['practitioner: the comma is OR', { practitioner: 'prat-2,prat-3' }, ['prat-2-a', 'prat-3-a']],
  ['organization: Organization/<id>', { organization: 'Organization/org-4' }, ['prat-2-a']],
  ['role: code', { role: 'FON-01', practitioner: 'prat-1' }, ['prat-1-a']],
  ['role: system|code', { role: `${ROLE}|FON-02`, practitioner: 'prat-1' }, ['prat-1-b']],
  ['role: another system', { role: `${SPECIALTY}|FON-02` }, []],
  ['role: the label', { role: 'titulaire de cabinet', practitioner: 'prat-1' }, ['prat-1-a']],
  ['specialty', { specialty: 'SM40' }, ['prat-1-a', 'prat-3-a']],
  ['specialty: the label, hyphens aside', { specialty: 'radio diagnostic et imagerie' }, ['prat-1-a', 'prat-3-a']],
  ['specialty: system|', { specialty: `${SPECIALTY}|` }, ['prat-1-a', 'prat-3-a']],
  ['active', { active: 'true', practitioner: 'prat-2' }, ['prat-2-a']],
  ['_id with several values', { _id: 'prat-1-b,nobody,prat-2-a' }, ['prat-1-b', 'prat-2-a']],
  ['_lastUpdated', { _lastUpdated: 'ge2026-11-02', practitioner: 'prat-2' }, ['prat-2-a']],
];

const ROLE_REFUSES: readonly Refuses[] = [
  ['practitioner: another type', { practitioner: 'Organization/org-1' }, 'http.practitioner', /Practitioner\/ID/],
  ['organization: another type', { organization: 'Practitioner/prat-1' }, 'http.organization', /Organization\/ID/],
  ['a key of people', { name: 'duval' }, 'http.name', /no search parameter of PractitionerRole/],
];

describe('fhir-stu3 PractitionerRole', () => {
  const on = indexedDirectory();
  itSearches(on, { section: 'fhir-stu3', type: 'PractitionerRole', token: 'both' }, ROLE_FINDS, ROLE_REFUSES);
});
