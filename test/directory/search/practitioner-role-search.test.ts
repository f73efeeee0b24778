// fhir-stu3 Search, "PractitionerRole practitioner, organization, role, specialty": each key and its matching rule, by
// fhir-kit-client.

import { ROLE, SPECIALTY } from '#support/directory/edition.ts';
import { describeOnEveryEngine, type Finds, itSearches, type Refuses } from '#support/directory/set-up.ts';

const FINDS: readonly Finds[] = [
  ['practitioner: Practitioner/<id>', { practitioner: 'Practitioner/prat-1' }, ['prat-1-a', 'prat-1-b']],
  ['practitioner: <id>', { practitioner: 'prat-2' }, ['prat-2-a']],
  ['practitioner: one that is not there', { practitioner: 'gone' }, ['gone-a']],
  ['practitioner: nobody', { practitioner: 'nobody' }, []],
  ['practitioner: the comma is OR', { practitioner: 'prat-2,prat-3' }, ['prat-2-a', 'prat-3-a']],
  ['organization: Organization/<id>', { organization: 'Organization/org-4' }, ['prat-2-a']],
  ['organization with practitioner', { organization: 'org-3', practitioner: 'crowd-7' }, ['crowd-7-a']],
  ['role: code', { role: 'FON-01', practitioner: 'prat-1' }, ['prat-1-a']],
  ['role: system|code', { role: `${ROLE}|FON-02`, practitioner: 'prat-1' }, ['prat-1-b']],
  ['role: another system', { role: `${SPECIALTY}|FON-02` }, []],
  ['specialty', { specialty: 'SM40' }, ['prat-1-a', 'prat-3-a']],
  ['specialty: system|', { specialty: `${SPECIALTY}|` }, ['prat-1-a', 'prat-3-a']],
  ['active', { active: 'true', practitioner: 'prat-2' }, ['prat-2-a']],
  ['_id', { _id: 'prat-1-b' }, ['prat-1-b']],
  ['_id with several values', { _id: 'prat-1-b,nobody,prat-2-a' }, ['prat-1-b', 'prat-2-a']],
  ['_lastUpdated', { _lastUpdated: 'ge2026-11-02', practitioner: 'prat-2' }, ['prat-2-a']],
];

const REFUSES: readonly Refuses[] = [
  ['practitioner: another type', { practitioner: 'Organization/org-1' }, 'http.practitioner', /Practitioner\/ID/],
  ['organization: another type', { organization: 'Practitioner/prat-1' }, 'http.organization', /Organization\/ID/],
  ['a key of people', { name: 'duval' }, 'http.name', /no search parameter of PractitionerRole/],
];

describeOnEveryEngine('fhir-stu3 PractitionerRole', (on) => {
  itSearches(on, { section: 'fhir-stu3', type: 'PractitionerRole', token: 'both' }, FINDS, REFUSES);
});
