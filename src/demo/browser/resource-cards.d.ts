// The types of `resource-cards.js`, which is plain JavaScript because browsers load it as it stands.

/** Any resource, with its elements unread. */
export interface FhirResource {
  resourceType: string;
  [element: string]: unknown;
}

/** The content of a card for a Practitioner or an Organization. Texts and lists are empty if the register says nothing. */
export interface ResourceCard {
  id: string;
  title: string;
  /** The profession of a person, the kind of a structure. */
  subtitle: string;
  qualifications: string[];
  addresses: string[];
  secureMail: string[];
  phones: string[];
  /** `RPPS 19095477667`, `FINESS 284000023`, `SIRET 99439971500014` */
  identifiers: string[];
  /** `Organization/<id>` of the structure that this one is a part of. */
  partOf: string | undefined;
}

export function practitionerCard(resource: FhirResource): ResourceCard;
export function organizationCard(resource: FhirResource): ResourceCard;
export function resourceCard(resource: FhirResource): ResourceCard;
export function inShort(values: readonly string[]): { first: string[]; more: string };
