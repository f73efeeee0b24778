// STU3 xml.html: the XML form of resources, against HL7's own examples of every type, read back by npm fhir.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsedJson } from '#directory/format/serialize.ts';
import { writeXml } from '#directory/format/xml/write-xml.ts';
import { anyText } from '#support/any-text.ts';
import { backFromXml, comparable } from '#support/directory/from-xml.ts';
import { ELEMENTS_FILE, elementsText } from '#support/directory/stu3-elements.ts';
import { runs, someOf } from '#support/seed.ts';

const EXAMPLES = join(import.meta.dirname, '../../../node_modules/hl7.fhir.r3.examples');
/** Types of the directory, and those that hold resources of any type; of others one example shows every kind of element. */
const THOROUGHLY =
  /^(Practitioner|Organization|PractitionerRole|Bundle|OperationOutcome|CapabilityStatement|Parameters)$/;
/** The converter breaks on an array that has an extension at the place of a missing value. */
const NOT_READ = ['Patient-null.json'];

/** Beyond, they repeat themselves. */
const MOST_BYTES = 100_000;
const byType = Map.groupBy(
  readdirSync(EXAMPLES).filter((file) => /^[A-Z]\w+-.*\.json$/.test(file) && !NOT_READ.includes(file)),
  (file) => file.slice(0, file.indexOf('-')),
);
const examples = [...byType]
  .flatMap(([type, files]) => (THOROUGHLY.test(type) ? someOf(files, 2) : files.slice(0, 1)))
  .filter((file) => statSync(join(EXAMPLES, file)).size < MOST_BYTES);

function example(file: string): Record<string, unknown> {
  return parsedJson(readFileSync(join(EXAMPLES, file), 'utf8').replace(/^\uFEFF/, ''));
}

describe('STU3 xml: HL7 examples of every type', () => {
  it('the table of elements is what HL7 defines', () => {
    expect(readFileSync(ELEMENTS_FILE, 'utf8')).toBe(elementsText());
  });

  it('are the same when read back, narrative included', () => {
    expect(byType.size).toBeGreaterThan(110);
    for (const file of examples) {
      const resource = example(file);
      const xml = writeXml(resource, { pretty: false });
      expectSame(file, xml, resource);
      for (const div of narrativesOf(resource)) expect(xml).toContain(div);
    }
  });

  it('are the same with line breaks, which change no narrative', () => {
    for (const file of examples.filter((name) => /^(Practitioner|Organization|Bundle)/.test(name))) {
      const resource = example(file);
      const xml = writeXml(resource, { pretty: true });
      expect(xml.split('\n').length).toBeGreaterThan(5);
      expectSame(file, xml, resource);
      for (const div of narrativesOf(resource)) expect(xml).toContain(div);
    }
  });
});

/** Jest's own comparison is for what differs: for what is the same it takes longer than all the rest. */
function expectSame(file: string, xml: string, resource: unknown): void {
  const [read, meant] = [backFromXml(xml), comparable(resource)];
  if (!isDeepStrictEqual(read, meant)) expect({ file, resource: read }).toEqual({ file, resource: meant });
}

function narrativesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, content]) =>
    name === 'div' && typeof content === 'string' ? [content.trim()] : narrativesOf(content),
  );
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

describe('STU3 xml: what JSON writes otherwise', () => {
  const written = (json: string) => {
    const xml = writeXml(parsedJson(json), { pretty: false });
    expect(xml.startsWith(HEAD)).toBe(true);
    return xml.slice(HEAD.length);
  };

  it.each([
    [
      'elements come in the order of the definition',
      '{"active":true,"name":"x","id":"1","resourceType":"Organization"}',
      '<id value="1"/><active value="true"/><name value="x"/>',
    ],
    [
      'extensions of a primitive value, its id, and of a value that is not there',
      '{"resourceType":"Organization","_name":{"id":"n","extension":[{"url":"u","valueCode":"c"}]},"_active":{"extension":[{"url":"v","valueString":"d"}]},"name":"x"}',
      '<active><extension url="v"><valueString value="d"/></extension></active><name id="n" value="x"><extension url="u"><valueCode value="c"/></extension></name>',
    ],
    [
      'null fills the places of arrays',
      '{"resourceType":"Organization","alias":["a",null,"c"],"_alias":[null,{"extension":[{"url":"u","valueBoolean":false}]},{"id":"i"}]}',
      '<alias value="a"/><alias><extension url="u"><valueBoolean value="false"/></extension></alias><alias id="i" value="c"/>',
    ],
    [
      'more places in _name than in name',
      '{"resourceType":"Organization","alias":["a"],"_alias":[null,{"id":"b"}]}',
      '<alias value="a"/><alias id="b"/>',
    ],
    [
      'id of an element and url of an extension are attributes',
      '{"resourceType":"Organization","contact":[{"id":"c1","extension":[{"id":"e","url":"http://x?a&b","valueDecimal":1.10}],"purpose":{"text":"x"}}]}',
      '<contact id="c1"><extension id="e" url="http://x?a&amp;b"><valueDecimal value="1.10"/></extension><purpose><text value="x"/></purpose></contact>',
    ],
    [
      'resources within resources',
      '{"resourceType":"Organization","contained":[{"resourceType":"Practitioner","id":"p"},{"resourceType":"Location","id":"l","position":{"longitude":2.350,"latitude":48.8560000000000001}}]}',
      '<contained><Practitioner><id value="p"/></Practitioner></contained><contained><Location><id value="l"/><position><longitude value="2.350"/><latitude value="48.8560000000000001"/></position></Location></contained>',
    ],
    [
      'signs with a meaning, and white space',
      '{"resourceType":"Organization","name":"\\"A\\" & <B> \'C\'\\t\\r\\n😀"}',
      '<name value="&quot;A&quot; &amp; &lt;B&gt; \'C\'&#9;&#13;&#10;😀"/>',
    ],
    [
      'characters that XML 1.0 cannot hold',
      '{"resourceType":"Organization","name":"a\\u0000b\\u001fc\\ud800d\\uffffe"}',
      '<name value="a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"/>',
    ],
    ['an unknown member has no place', '{"resourceType":"Organization","nom":"x","_":1}', ''],
  ])('%s', (_rule, json, content) => {
    const root = content === '' ? '<Organization xmlns="http://hl7.org/fhir"/>' : undefined;
    expect(written(json)).toBe(root ?? `<Organization xmlns="http://hl7.org/fhir">${content}</Organization>`);
  });

  it('any text comes back as it was, but for what XML cannot hold', () => {
    const legal = (text: string) =>
      text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\uFFFD');
    fc.assert(
      fc.property(anyText({ minLength: 1 }), (name) => {
        const xml = writeXml({ resourceType: 'Organization', name }, { pretty: false });
        expect(legal(xml)).toBe(xml);
        expect(xml.isWellFormed()).toBe(true);
        const value = / value="([^"<>]*)"\/><\/Organization>$/.exec(xml)?.[1] ?? '';
        expect(value).not.toMatch(/[\t\n\r]|&(?!(?:amp|lt|gt|quot|#9|#10|#13);)/);
        const signs: Record<string, string> = {
          amp: '&',
          lt: '<',
          gt: '>',
          quot: '"',
          '#9': '\t',
          '#10': '\n',
          '#13': '\r',
        };
        expect(value.replaceAll(/&([^;]+);/g, (_, sign) => signs[sign] ?? '')).toBe(legal(name));
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('STU3 narrative in XML', () => {
  const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
  const div = (text: string) => {
    const resource = { resourceType: 'Organization', text: { status: 'generated', div: text } };
    return /<status value="generated"\/>(.*)<\/text>/s.exec(writeXml(resource, { pretty: false }))?.[1];
  };

  it.each([
    `<div ${XHTML}><p class="a">x<br/> &#160; &amp; <!-- y --></p></div>`,
    `<div lang="fr" xml:lang="fr" ${XHTML}>é</div>`,
    `<div ${XHTML}>\n  <a href='x?a&amp;b'>y</a>\n</div>`,
  ])('%s stands as it is', (text) => {
    expect(div(text)).toBe(text);
  });

  it('without its namespace it is given it', () => {
    expect(div('<div>x</div>')).toBe(`<div ${XHTML}>x</div>`);
  });

  it.each([
    'no element',
    '<p>x</p>',
    '<div><p>x</div>',
    '<div>x</div></div><div>',
    '<div/><div/>',
    '<div>x</div> y',
    '<div>&nbsp;</div>',
    '<div>a & b</div>',
    '<div>&#0;</div>',
    '<div a="1" a="2"/>',
    '<div a="<"/>',
    '<div a=1/>',
    '<div><o:p>x</o:p></div>',
    '<div><![CDATA[x]]></div>',
    '<div><?php x ?></div>',
    '<div><!-- a -- b --></div>',
    '</text><div>',
  ])('%s is no well-formed XHTML, and becomes text that breaks nothing', (text) => {
    const shown = div(text) ?? '';
    expect(shown).toMatch(/^<div xmlns="http:\/\/www\.w3\.org\/1999\/xhtml">[^<]*<\/div>$/);
    expect(
      shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    ).toBe(`<div ${XHTML}>${text}</div>`);
  });
});
