// The form of references (STU3 references.html): relative, `Type/id`, or an absolute address; and what they may lead to.

/** Elements whose target the directory knows; others, such as those of extensions, may lead anywhere. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['partOf', 'Organization'],
  ['practitioner', 'Practitioner'],
  ['organization', 'Organization'],
  ['issuer', 'Organization'],
  ['assigner', 'Organization'],
  ['location', 'Location'],
  ['healthcareService', 'HealthcareService'],
  ['endpoint', 'Endpoint'],
]);

const RELATIVE = /^([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(\/_history\/[A-Za-z0-9.-]{1,64})?$/;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/;
/** The end of an absolute address that has the form of a FHIR server's. */
const ON_A_SERVER = /\/([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/** What is wrong with `Reference.reference` in an element, to stand behind the path of the Reference. */
export function referenceIssue(element: string, reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined;
  const shown = `.reference "${reference.slice(0, 80)}"`;
  if (/^(#|urn:)/.test(reference)) return `${shown} leads nowhere: write Type/id`;
  const target = TARGETS.get(element);
  const [, type] = (ABSOLUTE.test(reference) ? ON_A_SERVER : RELATIVE).exec(reference) ?? [];
  if (type === undefined && ABSOLUTE.test(reference)) return undefined;
  if (type !== undefined && (target === undefined || type === target)) return undefined;
  return `${shown} is not of the form ${target ?? 'Type'}/id`;
}
