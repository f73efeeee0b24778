// Each chapter of the reference as it is written, whole: with texts that name themselves, of a small directory. In a browser and with the texts of
// each language: `page.test.ts`.

import { describe, expect, it } from '@jest/globals';
import {
  batchChapter,
  changesChapter,
  errorsChapter,
  formatsChapter,
  limitsChapter,
  modifiersChapter,
  operationsChapter,
  resultParametersChapter,
  rulesChapter,
} from '#directory/reference/chapters.ts';
import { startChapter } from '#directory/reference/start.ts';
import { fieldsOf, typeChapter } from '#directory/reference/type-chapter.ts';
import { DIRECTORY, messages, outlineOf, typeAt } from './small-directory.ts';

describe('the chapters of the reference', () => {
  it('the beginning, beside a demonstration', () => {
    expect(
      outlineOf(startChapter(DIRECTORY, messages, { demo: '/demo', person: { login: 'l', password: 'p' } })),
    ).toBe(`<section class="chapter" id="start"> <h2 id="start-title">start.title
<fieldset class="switch"> start.where <input type="radio" name="way" id="way-machine" checked> start.ways.machine <input type="radio" name="way" id="way-registered"> start.ways.registered
<ol class="steps" data-way="machine">
h3:start.run start.runAbout [start.run]
h3:start.try start.tryAbout tryIt.demoPerson code:l , tryIt.demoPassword code:p <p class="after"><a href="/try#Practitioner?name=mart">tryIt.title
h3:start.token start.tokenAbout <p class="after"><a href="/demo">start.demo
h3:start.own start.ownAbout [start.own]
<ol class="steps" data-way="registered">
h3:start.register start.registerAbout
h3:start.signIn start.signInAbout [start.signIn]
h3:start.exchange start.exchangeAbout [start.exchange]
h3:start.unattended start.unattendedAbout [start.unattended]
h3:start.search start.searchAbout
<p class="caption">GET Practitioner?name=mart <a href="/try#Practitioner?name=mart" aria-label="tryIt.link, GET Practitioner?name=mart">tryIt.link [GET Practitioner?name=mart, curl] [GET Practitioner?name=mart, javascript] [GET Practitioner?name=mart, python] [GET Practitioner?name=mart, java]
h3:sample.title sample.about [Bundle]`);
  });

  it('the beginning, without one: the other way is chosen, and what there is no client or search for is missing', () => {
    const lines = (directory: typeof DIRECTORY, given: object) =>
      outlineOf(startChapter(directory, messages, given)).split('\n');
    const beside = lines(DIRECTORY, { demo: '/demo', person: { login: 'l', password: 'p' } });
    const without = lines({ ...DIRECTORY, types: [] }, {});
    expect(without).toHaveLength(beside.length);
    expect(without.filter((line) => !beside.includes(line))).toEqual([
      '<fieldset class="switch"> start.where <input type="radio" name="way" id="way-machine"> start.ways.machine <input type="radio" name="way" id="way-registered" checked> start.ways.registered',
      'h3:start.try start.tryAbout <p class="after"><a href="http://localhost:3000/directory/try#">tryIt.title',
      'h3:start.token start.tokenAbout <p class="after"><a href="http://localhost:3000/demo">start.demo',
      '<p class="caption">GET <a href="/try#" aria-label="tryIt.link, GET ">tryIt.link [GET , curl] [GET , javascript] [GET , python] [GET , java]',
    ]);
  });

  it('the operations', () => {
    expect(
      outlineOf(operationsChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="operations"> <h2 id="operations-title">operations.title <caption class="hidden">operations.title thead:
operations.path operations.does operations.scope
<th class="path"><span class="method">GET <a href="#Practitioner">code:/Practitioner | operations.search |permission code:P
<th class="path"><span class="method">GET <a href="#Practitioner">code:/Practitioner/{id} | operations.read |permission code:P
<th class="path"><span class="method">GET <a href="#PractitionerRole">code:/PractitionerRole | operations.search |permission code:P code:O
<th class="path"><span class="method">GET <a href="#PractitionerRole">code:/PractitionerRole/{id} | operations.read |permission code:P code:O
<th class="path"><span class="method">GET <a href="#SearchParameter">code:/SearchParameter | operations.search |permission open
<th class="path"><span class="method">GET <a href="#SearchParameter">code:/SearchParameter/{id} | operations.read |permission open
<th class="path"><span class="method">POST <a href="#rules">code:/{Type}/_search | operations.form |permission operations.ofTypes
<th class="path"><span class="method">GET <a href="#formats">code:/{Type}/{id}/_history/{version} | operations.version |permission operations.ofTypes
<th class="path"><span class="method">POST <a href="#batch">code:/ | operations.batch |permission operations.ofTypes
<th class="path"><span class="method">GET <a href="#export">code:/$export | operations.bulk |permission operations.ofTypes
<th class="path"><span class="method">GET code:/metadata | operations.capabilities |permission open
<th class="path"><span class="method">GET code:/.well-known/smart-configuration | operations.smart |permission open`);
  });

  it('the elements of a type that has none here', () => {
    expect(
      outlineOf(fieldsOf(DIRECTORY, { ...typeAt(1), type: 'Odd' }, messages, 'en')),
    ).toBe(`<h3 id="Odd.fields">fields.title <caption class="hidden">fields.title, Odd thead:
fields.element fields.meaning table.example`);
  });

  it('a type with scopes, chains and orders', () => {
    expect(
      outlineOf(typeChapter(DIRECTORY, typeAt(0), messages, 'en')),
    ).toBe(`<section class="chapter" id="Practitioner"> <h2 id="Practitioner-title">type.Practitioner.title <p class="scope">code:Practitioner scope(P) type.Practitioner.about
<h3 id="Practitioner.fields">fields.title <caption class="hidden">fields.title, Practitioner thead:
fields.element fields.meaning fields.filled table.example
<th class="name">code:id <span class="kind">id | fields.meanings.id |filled fields.filledLead 100% |example table.exampleLead code:p-1
<th class="name">code:meta <span class="kind">Meta | fields.meanings.meta |filled fields.filledLead 100% |example table.exampleLead code:{"lastUpdated":"L"}
<th class="name">code:identifier <span class="kind">Identifier[] | fields.meanings.identifier |filled fields.filledLead 66% |example table.exampleLead code:{"value":"7"}
<th class="name">code:active <span class="kind">boolean | fields.meanings.active |filled fields.filledLead |example table.exampleLead code:true
<th class="name">code:name <span class="kind">HumanName[] | fields.meanings.name |filled fields.filledLead 100% |example table.exampleLead
<th class="name">code:telecom <span class="kind">ContactPoint[] | fields.meanings.telecom |filled fields.filledLead |example table.exampleLead
<th class="name">code:address <span class="kind">Address[] | fields.meanings.address |filled fields.filledLead |example table.exampleLead
<th class="name">code:qualification <span class="kind">qualification[] | fields.meanings.qualification |filled fields.filledLead |example table.exampleLead code:{"code":{"coding":[{"code":"10","display":"M"}]}}
<h3 id="Practitioner.criteria">table.criteria table.unencoded <table class="parameters"><caption class="hidden">table.parameters(Practitioner) thead:
table.parameter table.rule table.example
<th class="name"><a class="anchor" id="Practitioner.name" href="#Practitioner.name">code:name <span class="kind">string | looksAt.name matching.words minimum(2) equivalents<span class="modifiers">table.modifiersLead code::exact code::missing |example table.exampleLead <a href="/try#Practitioner?name=mart">code:name=mart
<th class="name"><a class="anchor" id="Practitioner.odd" href="#Practitioner.odd">code:odd <span class="kind">string | <span lang="en">D. |example table.exampleLead <a href="/try#Practitioner?odd=10">code:odd=10
h3:includes includesAbout <p class="codes"><a href="/try#Practitioner?_revinclude=PractitionerRole:practitioner">code:_revinclude=PractitionerRole:practitioner
h3:sorts sortsAbout <p class="codes"><a href="/try#Practitioner?_sort=name">code:_sort=name <a href="/try#Practitioner?_sort=-name">code:_sort=-name
h3:chains chainsAbout <p class="codes"><a href="/try#Practitioner?_has:PractitionerRole:practitioner:role=L">code:_has:PractitionerRole:practitioner:role=L
<p class="caption">chains <a href="/try#Practitioner?_has:PractitionerRole:practitioner:role=L" aria-label="tryIt.link, chains (Practitioner)">tryIt.link [chains (Practitioner), curl] [chains (Practitioner), javascript] [chains (Practitioner), python] [chains (Practitioner), java]
h3:examples.title
<p class="caption">examples.search <a href="/try#Practitioner?name=mart" aria-label="tryIt.link, examples.search (Practitioner)">tryIt.link [examples.search (Practitioner), curl] [examples.search (Practitioner), javascript] [examples.search (Practitioner), python] [examples.search (Practitioner), java]
<p class="caption">examples.everything <a href="/try#Practitioner?_id=p-1&amp;_revinclude=PractitionerRole:practitioner&amp;_include:recurse=PractitionerRole:organization" aria-label="tryIt.link, examples.everything (Practitioner)">tryIt.link [examples.everything (Practitioner), curl] [examples.everything (Practitioner), javascript] [examples.everything (Practitioner), python] [examples.everything (Practitioner), java]
<p class="caption">examples.read <a href="/try#Practitioner/p-1" aria-label="tryIt.link, examples.read (Practitioner)">tryIt.link [examples.read (Practitioner), curl] [examples.read (Practitioner), javascript] [examples.read (Practitioner), python] [examples.read (Practitioner), java]`);
  });

  it('a type that refers to others', () => {
    expect(
      outlineOf(typeChapter(DIRECTORY, typeAt(1), messages, 'en')),
    ).toBe(`<section class="chapter" id="PractitionerRole"> <h2 id="PractitionerRole-title">type.PractitionerRole.title <p class="scope">code:PractitionerRole scopes(P O) type.PractitionerRole.about
<h3 id="PractitionerRole.fields">fields.title <caption class="hidden">fields.title, PractitionerRole thead:
fields.element fields.meaning table.example
<th class="name">code:id <span class="kind">id | fields.meanings.id |example table.exampleLead code:810000000000-0a1b2c3d4e5f6g
<th class="name">code:meta <span class="kind">Meta | fields.meanings.meta |example table.exampleLead code:{"lastUpdated":"2026-11-21T05:00:00.000Z"}
<th class="name">code:active <span class="kind">boolean | fields.meanings.active |example table.exampleLead code:true
<th class="name">code:practitioner <span class="kind">Reference | fields.meanings.practitioner |example table.exampleLead code:{"reference":"Practitioner/810000000000"}
<th class="name">code:organization <span class="kind">Reference | fields.meanings.organization |example table.exampleLead code:{"reference":"Organization/F750000000"}
<th class="name">code:code <span class="kind">CodeableConcept[] | fields.meanings.code |example table.exampleLead code:{"coding":[{"code":"L","display":"Libéral"}]}
<th class="name">code:specialty <span class="kind">CodeableConcept[] | fields.meanings.specialty |example table.exampleLead code:{"coding":[{"code":"SM26","display":"Qualifié en médecine générale"}]}
<h3 id="PractitionerRole.criteria">table.criteria table.unencoded <table class="parameters"><caption class="hidden">table.parameters(PractitionerRole) thead:
table.parameter table.rule table.example
<th class="name"><a class="anchor" id="PractitionerRole.practitioner" href="#PractitionerRole.practitioner">code:practitioner <span class="kind">reference | looksAt.PractitionerRole.practitioner matching.reference target(Practitioner)<span class="modifiers">table.modifiersLead code::Practitioner code::missing |example table.exampleLead <a href="/try#PractitionerRole?practitioner=Practitioner/p-1">code:practitioner=Practitioner/p-1
h3:includes includesAbout <p class="codes"><a href="/try#PractitionerRole?_include=PractitionerRole:practitioner">code:_include=PractitionerRole:practitioner <a href="/try#PractitionerRole?_include=PractitionerRole:organization">code:_include=PractitionerRole:organization
h3:examples.title
<p class="caption">examples.search <a href="/try#PractitionerRole?practitioner=Practitioner/p-1" aria-label="tryIt.link, examples.search (PractitionerRole)">tryIt.link [examples.search (PractitionerRole), curl] [examples.search (PractitionerRole), javascript] [examples.search (PractitionerRole), python] [examples.search (PractitionerRole), java]
<p class="caption">examples.read <a href="/try#PractitionerRole/r-1" aria-label="tryIt.link, examples.read (PractitionerRole)">tryIt.link [examples.read (PractitionerRole), curl] [examples.read (PractitionerRole), javascript] [examples.read (PractitionerRole), python] [examples.read (PractitionerRole), java]`);
  });

  it('a type that is open to everybody, of which nothing is counted', () => {
    const outline = outlineOf(typeChapter(DIRECTORY, typeAt(2), messages, 'en'));
    expect(outline).toContain(
      '<p class="scope">code:SearchParameter open type.SearchParameter.about\n<h3 id="SearchParameter.fields">fields.title <caption class="hidden">fields.title, SearchParameter thead:\nfields.element fields.meaning table.example',
    );
    expect(outline).toContain(
      '\n<th class="name">code:base <span class="kind">code[] | fields.meanings.base |example table.exampleLead\n',
    );
    expect(outline.split('h3:')).toEqual([expect.any(String), expect.stringMatching(/^examples\.title\n.*\n?$/)]);
  });

  it('the rules', () => {
    expect(
      outlineOf(rulesChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="rules"> <h2 id="rules-title">rules.title <dl class="facts">
dt:rules.strict dd:rules.strictAbout
dt:rules.folding dd:rules.foldingAbout
dt:rules.together dd:rules.togetherAbout
dt:rules.said dd:rules.saidAbout
dt:rules.joining dd:rules.joiningAbout
dt:rules.dates dd:rules.datesAbout(code:eq code:ne )
dt:rules.post dd:rules.postAbout
dt:rules.notes dd:rules.notesAbout
h3:sample.systems <caption class="hidden">sample.systems thead:
sample.system sample.meaning
<th class="name">code:urn:oid:1.2.250.1.71.4.2.1 | sample.meanings.national
<th class="name">code:https://rpps.esante.gouv.fr | sample.meanings.rpps
<th class="name">code:https://c.example/fhir/Identifier/practitioner-rpps | sample.meanings.rppsHere
<th class="name">code:urn:oid:1.2.250.1.71.4.2.2 | sample.meanings.structure
<th class="name">code:https://finess.esante.gouv.fr | sample.meanings.finess
<th class="name">code:https://sirene.fr | sample.meanings.sirene`);
  });

  it('the modifiers', () => {
    expect(
      outlineOf(modifiersChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="modifiers"> <h2 id="modifiers-title">modifiers.title modifiers.about <caption class="hidden">modifiers.title thead:
modifiers.modifier modifiers.meaning
<th class="name">code::exact | modifiers.meanings.exact
<th class="name">code::missing | modifiers.meanings.missing
<th class="name">code::Practitioner | modifiers.meanings.type`);
  });

  it('the result parameters', () => {
    expect(
      outlineOf(resultParametersChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="controls"> <h2 id="controls-title">resultParameters.title <caption class="hidden">resultParameters.title thead:
resultParameters.parameter resultParameters.meaning table.example
<th class="name"><a class="anchor" id="controls._count" href="#controls._count">code:_count | resultParameters.meanings._count(object) |example table.exampleLead <a href="/try#Practitioner?_count=20">code:Practitioner?_count=20
<th class="name"><a class="anchor" id="controls._page" href="#controls._page">code:_page | |example table.exampleLead
h3:paging.title paging.about`);
  });

  it('the formats', () => {
    expect(
      outlineOf(formatsChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="formats"> <h2 id="formats-title">formats.title <dl class="facts">
dt:formats.formats dd:formats.formatsAbout(application/fhir+json)
dt:formats.compression dd:formats.compressionAbout
dt:formats.conditional dd:formats.conditionalAbout
dt:formats.versions dd:formats.versionsAbout
dt:formats.cors dd:formats.corsAbout`);
  });

  it('the batch', () => {
    expect(outlineOf(batchChapter(DIRECTORY, messages))).toBe(
      `<section class="chapter" id="batch"> <h2 id="batch-title">batch.title batch.about(50) batch.rules [curl, batch]`,
    );
  });

  it('the errors', () => {
    expect(
      outlineOf(errorsChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="errors"> <h2 id="errors-title">errors.title errors.about errors.language <caption class="hidden">errors.title thead:
errors.status errors.meaning errors.code
<th class="name">code:400 | errors.meanings.400 |example errors.codeLead code:value code:structure`);
  });

  it('the limits', () => {
    expect(
      outlineOf(limitsChapter(DIRECTORY, messages, 'fr')),
    ).toBe(`<section class="chapter" id="limits"> <h2 id="limits-title">limits.title <caption class="hidden">limits.title thead:
limits.what limits.value
<th class="name">limits.names.included | 1 000 <p class="after">limits.rates`);
  });

  it('the changes', () => {
    expect(
      outlineOf(changesChapter(DIRECTORY, messages)),
    ).toBe(`<section class="chapter" id="export"> <h2 id="export-title">bulk.title bulk.about bulk.permissions
<p class="caption">bulk.everything <a href="/try#$export?_type=Practitioner,Organization" aria-label="tryIt.link, bulk.everything">tryIt.link [bulk.everything, curl] [bulk.everything, javascript] [bulk.everything, python] [bulk.everything, java] bulk.next
<p class="caption">bulk.changes <a href="/try#$export?_since=2026-11-20T05:00:00.000Z" aria-label="tryIt.link, bulk.changes">tryIt.link [bulk.changes, curl] [bulk.changes, javascript] [bulk.changes, python] [bulk.changes, java] bulk.service`);
  });
});
