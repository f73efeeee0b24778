// fhir-stu3: every resource of the shipped edition is valid by the official definitions, once imported (`npm run validate:directory` does the
// same for an edition of any size); and XML is valid by structure and says what the JSON says: read back by npm `fhir`, it is the same resource.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeXml } from '#directory/format/xml/write-xml.ts';
import { RESOURCE_TYPES, type Snapshot } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { type RunningDirectory, startDirectory } from '#support/directory/service.ts';
import { counts as truth } from '#support/edition-truth.ts';
import { snapshotErrors } from '#support/fhir/snapshot-errors.ts';
import { xmlErrors } from '#support/fhir/xml-errors.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

let directory: RunningDirectory;
let shipped: Snapshot;
beforeAll(async () => {
  directory = await startDirectory(scanSnapshot('xml', edition()));
  shipped = await openShippedSnapshot();
});
afterAll(async () => {
  await directory.stop();
  await shipped.close();
});

it('fhir-stu3 every resource of a snapshot is valid by the official definitions', async () => {
  const { counts, errors } = await snapshotErrors(shipped);
  expect(Object.fromEntries(errors)).toEqual({});
  expect(counts.Practitioner).toBe(truth.practitioners);
  expect(counts.Organization).toBe(truth.organizations.total);
  expect(counts.PractitionerRole).toBeGreaterThan(truth.practitioners);
});

describe('fhir-stu3 XML', () => {
  it.each(RESOURCE_TYPES)('%s of the shipped edition are valid by structure and equal to their JSON', async (type) => {
    const { matches } = await shipped.search({ type, clauses: [], limit: 250, total: false });
    for (const { json } of matches) {
      const resource = JSON.parse(json);
      expect(xmlErrors(writeXml(resource, { pretty: false }))).toEqual({ resource, errors: [] });
    }
    expect(matches).toHaveLength(250);
  });
});

describe('fhir-stu3 XML: the validator finds', () => {
  const document = (inside: string, root = 'Practitioner xmlns="http://hl7.org/fhir"') =>
    `<?xml version="1.0" encoding="UTF-8"?><${root}>${inside}</${root.split(' ')[0]}>`;

  it('nothing wrong in what is right', () => {
    expect(xmlErrors(document('<id value="a"/><active value="true"/>')).errors).toEqual([]);
  });

  it.each([
    ['elements in the wrong order', document('<active value="true"/><id value="a"/>')],
    ['elements in the wrong order inside', document('<name><given value="A"/><family value="B"/></name>')],
    ['an unknown element', document('<surname value="a"/>')],
    ['a text instead of a value', document('<id>a</id>')],
    ['an element without anything', document('<active/>')],
    ['another namespace', document('<id value="a"/>', 'Practitioner xmlns="http://hl7.org/fhir/STU3"')],
    ['no namespace', document('<id value="a"/>', 'Practitioner')],
    ['an open tag', '<Practitioner xmlns="http://hl7.org/fhir">'],
    ['an unescaped &', document('<language value="a & b" />')],
    [
      'two resources in one entry',
      document(
        '<type value="collection"/><entry><resource><Binary/><Binary/></resource></entry>',
        'Bundle xmlns="http://hl7.org/fhir"',
      ),
    ],
  ])('%s', (_what, text) => {
    expect(xmlErrors(text).errors).not.toEqual([]);
  });
});
