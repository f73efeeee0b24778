// Converts FHIR STU3 resources to the data of the pages: people with their places of work, and structures. Every element of FHIR is
// optional, so every value here may be missing.

import { civility, folded, personName, readable } from './text.ts';

export interface Mailbox {
  address: string;
  /** The service that reads the mailbox, inside its structure. */
  service: string;
}

export interface Address {
  /** The lines, without the one of the town. */
  lines: string[];
  postalCode: string;
  city: string;
  /** The whole address as one text, which is compared with searched words. */
  text: string;
  /** WGS 84, in degrees. */
  position: Position | undefined;
}

export interface Position {
  latitude: number;
  longitude: number;
}

export interface Structure {
  id: string;
  /** Empty if the register has none. */
  name: string;
  kinds: string[];
  /** `FINESS 284000023`, `SIRET 99439971500014` */
  identifiers: string[];
  addresses: Address[];
  phones: string[];
  faxes: string[];
  emails: string[];
  mailboxes: Mailbox[];
  /** `Organization/<id>` of the parent structure. */
  partOf: string | undefined;
}

/** A place where a person works. */
export interface Place {
  /** Undefined if only the person's own record names the place. */
  structure: Structure | undefined;
  address: Address | undefined;
  /** Codes of TRE_R23-ModeExercice: L self-employed, S employed, B volunteer. */
  modes: string[];
}

export interface Person {
  id: string;
  /** Civility, given and family name, as people write them. */
  name: string;
  profession: string;
  specialities: string[];
  /** Diplomas other than the state diploma, which only repeats the profession. */
  diplomas: string[];
  rpps: string;
  mailboxes: Mailbox[];
  places: Place[];
}

const SECURE_MAIL = 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type';
const GEOLOCATION = 'http://hl7.org/fhir/StructureDefinition/geolocation';
const NUMBERS: readonly [system: string, name: string][] = [
  ['finess.esante.gouv.fr', 'FINESS'],
  ['sirene.fr', 'SIRET'],
];

/** Converts a Practitioner. `around` has the person's roles and their structures, which the search included. */
export function personOf(resource: fhir3.Practitioner, around: readonly fhir3.FhirResource[] = []): Person {
  const { name: [name = {}] = [], identifier = [], qualification = [], telecom = [] } = resource;
  const codes = qualification.map(({ code }) => code);
  const labelsOf = (system: RegExp) => labels(codes.filter((code) => isOf(code, system)));
  const [profession = '', ...others] = labelsOf(/ProfessionSante$/);
  return {
    id: resource.id ?? '',
    name: [...(name.prefix ?? []).map(civility), ...[...(name.given ?? []), name.family ?? ''].map(personName)]
      .filter(Boolean)
      .join(' '),
    profession,
    specialities: unique([...others, ...labelsOf(/TypeSavoirFaire$/)]),
    diplomas: labelsOf(/TypeDiplome$/).filter((label) => !/^dipl[oô]me d.[eéEÉ]tat/i.test(label)),
    rpps: identifier.find(({ system = '' }) => /rpps/.test(system))?.value ?? '',
    // A practitioner's mail addresses are secure messaging addresses (specification 2.3).
    mailboxes: mailboxesOf(telecom.filter(({ system }) => system === 'email')),
    places: placesOf(resource, around),
  };
}

/** Returns the places of the roles, one for each structure, and then the places that only the person's own record names. */
function placesOf({ id, address = [] }: fhir3.Practitioner, around: readonly fhir3.FhirResource[]): Place[] {
  const roles = around.filter(
    (one): one is fhir3.PractitionerRole =>
      one.resourceType === 'PractitionerRole' &&
      (one as fhir3.PractitionerRole).practitioner?.reference === `Practitioner/${id}`,
  );
  const places = [...Map.groupBy(roles, ({ organization }) => organization?.reference ?? '')].map(
    ([reference, own]): Place => {
      const found = around.find((one) => `${one.resourceType}/${one.id}` === reference);
      const structure = found && structureOf(found as fhir3.Organization);
      const codes = own.flatMap(({ code = [] }) => code).filter((code) => isOf(code, /ModeExercice$/));
      return {
        structure,
        address: structure?.addresses[0],
        modes: unique(codes.map(({ coding: [coding] = [] }) => coding?.code ?? '')),
      };
    },
  );
  const known = new Set(places.flatMap(({ structure }) => structure?.addresses.map(placeKey) ?? []));
  const others = address.map(addressOf).filter((one) => !known.has(placeKey(one)));
  return [...places, ...others.map((one) => ({ structure: undefined, address: one, modes: [] }))];
}

const placeKey = ({ postalCode, city }: Address) => `${postalCode} ${folded(city)}`;

/** Converts an Organization. */
export function structureOf(resource: fhir3.Organization): Structure {
  const { identifier = [], telecom = [], address = [], alias: [alias = ''] = [] } = resource;
  const values = (wanted: string) =>
    unique(telecom.filter(({ system }) => system === wanted).map(({ value = '' }) => value));
  const secure = telecom.filter((one) => one.extension?.some(({ url }) => url === SECURE_MAIL));
  return {
    id: resource.id ?? '',
    name: readable(resource.name ?? alias),
    kinds: kindsOf(resource),
    identifiers: NUMBERS.flatMap(([part, name]) =>
      identifier
        .filter(({ system = '', value }) => system.includes(part) && value)
        // One register has two kinds of numbers: 9 digits for a company (SIREN), 14 for one of its sites (SIRET).
        .map(({ value = '' }) => `${name === 'SIRET' && value.length === 9 ? 'SIREN' : name}\u00a0${value}`),
    ),
    addresses: address.map(addressOf),
    phones: values('phone'),
    faxes: values('fax'),
    emails: unique(
      telecom.filter((one) => one.system === 'email' && !secure.includes(one)).map(({ value = '' }) => value),
    ),
    mailboxes: mailboxesOf(secure),
    partOf: resource.partOf?.reference,
  };
}

// The registers name the same kind in several tables, with different spellings.
function kindsOf({ type = [] }: fhir3.Organization): string[] {
  return unique([...new Map(labels(type).map((label) => [label.toLowerCase(), label])).values()]);
}

function mailboxesOf(telecom: readonly fhir3.ContactPoint[]): Mailbox[] {
  const boxes = telecom.map(({ value = '', extension = [] }) => {
    const details = extension.flatMap((one) => one.extension ?? []);
    const service = details.find(({ url }) => url === 'service')?.valueString ?? '';
    return [value.toLowerCase(), { address: value.toLowerCase(), service: readable(service) }] as const;
  });
  return [...new Map(boxes).values()].filter(({ address }) => address);
}

function addressOf({ line = [], text = '', postalCode = '', city = '', extension = [] }: fhir3.Address): Address {
  const lines = line.length > 0 ? line : [text].filter(Boolean);
  const degrees = (wanted: string) =>
    extension.find(({ url }) => url === GEOLOCATION)?.extension?.find(({ url }) => url === wanted)?.valueDecimal;
  const [latitude, longitude] = [degrees('latitude'), degrees('longitude')];
  return {
    // A French address may have the line of the mail office, which repeats the town: "25304 PONTARLIER CEDEX".
    lines: lines.filter((one) => !/^\d{5} /.test(one)).map(readable),
    postalCode,
    city: readable(city.replace(/\s+/g, ' ').replace(/ arrondissement$/i, '')),
    text: [...lines, postalCode, city].join(' '),
    position: latitude === undefined || longitude === undefined ? undefined : { latitude, longitude },
  };
}

function isOf({ coding = [] }: fhir3.CodeableConcept, system: RegExp): boolean {
  return coding.some((one) => system.test(one.system ?? ''));
}

function labels(concepts: readonly fhir3.CodeableConcept[]): string[] {
  return unique(
    concepts.map(
      ({ text, coding = [] }) => text ?? coding.find(({ display }) => display)?.display ?? coding[0]?.code ?? '',
    ),
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter(Boolean))];
}
