// Converts FHIR STU3 resources to the data that the pages show: people with their places of work, and structures. Every element of FHIR is
// optional, so every value may be empty or undefined.

import { civility, folded, personName, readable } from './text.ts';

export interface Mailbox {
  address: string;
  /** The service within the structure, such as a ward, that reads this mailbox. Empty if the directory names none. */
  service: string;
}

export interface Address {
  /** The lines of the address, except the line with postcode and town. */
  lines: string[];
  postalCode: string;
  city: string;
  /** The whole address as one text, with which the searched words are compared. */
  text: string;
  /** Position in degrees (WGS 84). Undefined if the directory has none. */
  position: Position | undefined;
}

export interface Position {
  latitude: number;
  longitude: number;
}

export interface Structure {
  id: string;
  /** Name of the structure. Empty if the register has none. */
  name: string;
  kinds: string[];
  /** Numbers of the structure with their kind: `FINESS 284000023`, `SIRET 99439971500014`. */
  identifiers: string[];
  addresses: Address[];
  phones: string[];
  faxes: string[];
  emails: string[];
  mailboxes: Mailbox[];
  /** Reference to the parent structure: `Organization/<id>`. */
  partOf: string | undefined;
}

/** A place where a person works. */
export interface Place {
  /** The structure at this place. Undefined if the place is only in the person's own record. */
  structure: Structure | undefined;
  address: Address | undefined;
  /** Ways in which the person works there, as codes of TRE_R23-ModeExercice: L self-employed, S employed, B volunteer. */
  modes: string[];
}

export interface Person {
  id: string;
  /** Title (`Mme`, `M.`, `Dr`), given name and family name, with capital letters only at the beginning of words. */
  name: string;
  profession: string;
  specialities: string[];
  /** Diplomas. The state diploma is left out, because it only repeats the profession. */
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

/**
 * Converts a Practitioner to a person. `around` has the resources that the search included: the person's roles, and the structures of these
 * roles.
 */
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
    // All mail addresses of a practitioner are secure messaging addresses (specification 2.3), unlike those of a structure.
    mailboxes: mailboxesOf(telecom.filter(({ system }) => system === 'email')),
    places: placesOf(resource, around),
  };
}

/**
 * Returns a person's places of work. The places of the roles come first, one for each structure. Then follow the addresses that are only in
 * the person's own record.
 */
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

/** Converts an Organization to a structure. */
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
        // The register SIRENE has two kinds of numbers: SIREN with 9 digits for a company, and SIRET with 14 digits for one of its sites.
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

// The registers name the same kind of structure in several tables, with different capital letters. So kinds are compared in lower case.
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
    // A line such as "25304 PONTARLIER CEDEX" is left out, because the page shows postcode and town separately.
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
