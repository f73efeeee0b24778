// From a FHIR STU3 resource to what a card shows. Runs in the browser and on the server. Every element of FHIR is optional,
// so everything here is.

const PROFESSION = 'TRE_G15-ProfessionSante';
const MOST_VALUES = 3;
const SECURE_MAIL = 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type';

/** Reads a Practitioner: the name, the profession, further qualifications, addresses, secure mail, RPPS number. */
export function practitionerCard(resource) {
  const qualifications = list(resource.qualification).map(({ code }) => ({ text: label(code), code }));
  const profession = qualifications.find(({ code }) =>
    codings(code).some(({ system }) => system?.includes(PROFESSION)),
  );
  return {
    id: resource.id,
    title: personName(list(resource.name)[0]),
    subtitle: profession?.text ?? '',
    qualifications: unique(qualifications.filter((one) => one !== profession).map(({ text }) => text)),
    addresses: unique(list(resource.address).map(addressText)),
    // A practitioner's telecoms are secure messaging addresses (specification 2.3).
    secureMail: unique(list(resource.telecom).map(({ value }) => value)),
    phones: [],
    identifiers: identifiersOf(resource, { 'practitioner-rpps': 'RPPS' }),
    partOf: undefined,
  };
}

/** Reads an Organization: the name, its kind, address, phones, secure mail, numbers, and the reference of its parent. */
export function organizationCard(resource) {
  const telecom = list(resource.telecom);
  return {
    id: resource.id,
    title: resource.name ?? list(resource.alias)[0] ?? '',
    subtitle: kindsOf(resource).join(' · '),
    qualifications: [],
    addresses: unique(list(resource.address).map(addressText)),
    secureMail: unique(telecom.filter(isSecureMail).map(({ value }) => value)),
    phones: unique(telecom.filter(({ system }) => system === 'phone').map(({ value }) => value)),
    identifiers: identifiersOf(resource, { 'finess.esante.gouv.fr': 'FINESS', 'sirene.fr': 'SIRET' }),
    partOf: resource.partOf?.reference,
  };
}

/** Reads either. */
export function resourceCard(resource) {
  return resource.resourceType === 'Organization' ? organizationCard(resource) : practitionerCard(resource);
}

/** The beginning of a list that a card shows, and how many more there are; empty when that is all. */
export function inShort(values) {
  const rest = values.length - MOST_VALUES;
  return { first: values.slice(0, MOST_VALUES), more: rest > 0 ? `+ ${rest}` : '' };
}

function personName(name = {}) {
  return name.text ?? [...list(name.prefix), ...list(name.given), name.family].filter(Boolean).join(' ');
}

function addressText({ text, line, postalCode, city }) {
  if (text) return text;
  const lines = list(line).filter(Boolean);
  const town = [postalCode, city].filter(Boolean).join(' ');
  // French addresses may carry the line of the mail office, which has the town already: "25304 PONTARLIER CEDEX".
  return lines.some((part) => /^\d{5} /.test(part)) ? lines.join(', ') : [...lines, town].filter(Boolean).join(', ');
}

// The registers name one kind in several tables, in more than one spelling.
function kindsOf({ type }) {
  const byFoldedText = list(type).map((concept) => [label(concept).toLowerCase(), label(concept)]);
  return unique([...new Map(byFoldedText).values()]);
}

function isSecureMail({ system, extension }) {
  return system === 'email' && list(extension).some(({ url }) => url === SECURE_MAIL);
}

function identifiersOf({ identifier }, names) {
  return list(identifier).flatMap(({ system = '', value }) => {
    const known = Object.keys(names).find((part) => system.includes(part));
    return known && value ? [`${nameOf(names[known], value)}\u00a0${value}`] : [];
  });
}

// One register, two numbers: 9 digits name the company (SIREN), 14 one of its sites (SIRET).
function nameOf(name, value) {
  return name === 'SIRET' && value.length === 9 ? 'SIREN' : name;
}

function label(concept) {
  return concept?.text ?? codings(concept).find(({ display }) => display)?.display ?? codings(concept)[0]?.code ?? '';
}

function codings(concept) {
  return list(concept?.coding);
}

function list(values) {
  return values ?? [];
}

function unique(values) {
  return [...new Set(values.filter(Boolean))];
}
