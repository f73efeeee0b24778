// The English messages of the reference page, in the shape of `fr.ts`.

import type { ReferenceMessages } from './fr.ts';

export const en: ReferenceMessages = {
  title: 'Directory of health professionals',
  lead: 'API reference: FHIR STU3, read-only, with the token of a signed-in person.',
  contents: 'Contents',
  facts: {
    base: 'Base address',
    edition: 'Edition in service',
    loaded: (date) => `loaded on ${date}`,
    counts: (people, structures, roles) => `${people} professionals, ${structures} structures, ${roles} roles`,
    none: 'no edition is loaded',
    machine: 'For programs',
    openapi: 'OpenAPI 3.1',
    metadata: 'CapabilityStatement',
    smart: 'SMART',
  },
  start: {
    title: 'Get going in a minute',
    register: 'Have your application registered',
    registerAbout:
      'The operator of the service gives you a `client_id`, a secret if your application has a server, and registers your callback address. An application without a server uses PKCE instead of the secret.',
    signIn: 'Send the person to sign in',
    signInAbout:
      'The browser comes back to your address with `code` and `state`. Check that `state` is the one you sent; drawn at random for each sign-in, at least 30 characters are recommended. `version=2.0.0` may be added, but needn’t be. With PKCE, add `code_challenge` (the SHA-256 digest of a random `code_verifier`, in base64url) and `code_challenge_method=S256`.',
    exchange: 'Exchange the code for a token',
    exchangeAbout:
      'The answer holds `access_token`, its lifetime `expires_in` in seconds, and `id_token` when `openid` was asked for. With PKCE, send `client_id` and `code_verifier` instead of the secret (`-u`).',
    search: 'Search',
    searchAbout: 'Every call carries the token in the `Authorization` header.',
    client: 'With fhir-kit-client',
    clientAbout: 'Or any other FHIR STU3 library.',
    unattended: 'With nobody at the keyboard, for example at night',
    unattendedAbout:
      'A person signs in once: add `offline_access` to `scope`, and `prompt=consent` (an application with `refreshTokens: always` needs no prompt). The answer to the exchange then holds `refresh_token`, which gives further tokens without them. Keep the one each answer gives you: it replaces the previous one. The operator has to allow the application `offline_access`. A server that the operator lets read without any person (`directoryAccess`) gets a token for itself by `grant_type=client_credentials` and `scope`, with its secret or key.',
    demo: 'Try it with nothing to install: the demo application',
  },
  sample: {
    title: 'One answer',
    about:
      'A search is answered by a Bundle: `total`, the links of the pages, and one resource in each entry. This person is invented.',
    systems: 'Identifier systems',
    system: 'System',
    meaning: 'What it identifies',
    meanings: {
      national: 'National identifier of a person: `8`, then the RPPS number.',
      rpps: 'RPPS number.',
      rppsHere: 'RPPS number, by the system of this service.',
      structure: 'National identifier of a structure.',
      finess: 'FINESS number.',
      sirene: 'SIRET or SIREN number.',
    },
  },
  type: {
    Practitioner: {
      title: 'Professionals',
      about: 'Health professionals: names, identifiers, qualifications, places of work, secure mailboxes.',
    },
    Organization: {
      title: 'Structures',
      about: 'Care structures and the legal entities that they belong to.',
    },
    PractitionerRole: {
      title: 'Roles',
      about:
        'What a professional does in a structure, and with which specialties. Links people to structures. Somebody without a role in any structure is not found here: all people of a specialty are found by `Practitioner?qualification=`, and the answer says so.',
    },
    SearchParameter: {
      title: 'Definitions of parameters',
      about: 'The search parameters specific to this directory. Open to everybody, without a token.',
    },
  },
  scope: (scopes) => `Scope needed: ${scopes}`,
  scopes: (scopes) => `Scopes needed, together: ${scopes}`,
  open: 'Without a token.',
  table: {
    parameters: (type) => `Search parameters of ${type}`,
    parameter: 'Parameter',
    rule: 'What is found',
    modifiersLead: 'Modifiers:',
    example: 'Example',
    exampleLead: 'Example:',
    unencoded:
      'The examples of the table are not encoded for an address: `curl -G --data-urlencode` does it. What is in `<>` is for you to fill in.',
  },
  looksAt: {
    'Practitioner.name': 'Family and given names.',
    'Practitioner.identifier': 'RPPS number, national identifier, and any other identifier.',
    'Practitioner.qualification': 'Profession, diplomas, specialties.',
    'Practitioner.address': 'Work addresses.',
    'Practitioner.telecom': 'Addresses of secure health messaging.',
    'Organization.telecom': 'Telephone, fax, mail and secure health messaging, also as `phone|value` or `fax|`.',
    email: 'Mail addresses, those of secure health messaging included.',
    'Practitioner.phone': 'Telephone numbers. The public registers have those of structures alone.',
    phone: 'Telephone numbers, no fax.',
    'mailbox-mss':
      'Addresses of secure health messaging (MSSanté), by the name that the national directory API gives the parameter.',
    'Practitioner.family': 'Family name.',
    'Practitioner.given': 'Given names.',
    'Organization.name': 'Name of the structure, and its other names.',
    'Organization.identifier': 'FINESS, SIRET and SIREN numbers, and any other identifier.',
    'Organization.address': 'Address of the structure.',
    'Organization.part-of': 'Structure of which this one is a part.',
    'Organization.partof': 'The same parameter, by the name that HL7 gives it.',
    'Organization.type': 'Category of the structure.',
    'PractitionerRole.practitioner': 'The person.',
    'PractitionerRole.organization': 'The structure.',
    'PractitionerRole.role': 'Type of practice, function, section.',
    'PractitionerRole.specialty': 'Specialties and skills.',
    'SearchParameter.url': 'Canonical address of the definition.',
    'SearchParameter.code': 'Name of the parameter in a search.',
    'SearchParameter.base': 'Type of resource that it searches.',
    'SearchParameter.type': 'Type of the parameter.',
    'address-city': 'Town.',
    'address-postalcode': 'Postal code.',
    active: 'Whether the entry is in force.',
    _id: 'Id of the resource.',
    _lastUpdated: 'When the edition was loaded in which the resource was new or changed.',
  },
  matching: {
    words: 'Every word of the value begins a word.',
    token: 'Exact value: `code`, `system|code`, `|code` or `system|`.',
    labelled: 'Exact value: `code`, `system|code`, the whole label, or what people say for it.',
    contact: 'Exact address, case aside, or exact number in any spelling (`+33 1` is `01`).',
    boolean: '`true` or `false`.',
    id: 'Exact id.',
    uri: 'Exact address.',
    reference: 'Exact reference: `Type/id`, `id`, or the whole address.',
    instant: 'A date or an instant, complete or not, with a prefix.',
  },
  minimum: (count) => `At least ${count} characters.`,
  equivalents: 'Usual abbreviations included (bd, av, st).',
  target: (type) => `To ${type}.`,
  oneAddress: 'All words must be in one and the same address.',
  includes: 'Included resources',
  includesAbout:
    'Linked resources come in the same answer; they do not count in `total`. `_include:recurse` also follows the links of what was included; `*` follows them all.',
  chains: 'Chains',
  chainsAbout:
    'A parameter of a linked resource narrows the search: `practitioner.name` follows the reference, and `_has:PractitionerRole:practitioner:specialty` goes against it. Every parameter of the linked type can stand at the end, with its modifiers, and the scopes of both types are needed. Each chain is a criterion of its own; there is one level.',
  sorts: 'Sorting',
  sortsAbout:
    'Alphabetical order without `_sort`; a `-` reverses the order. `given` and `address-city` go by the first given names and the first town, `practitioner` and `organization` by the alphabetical order of people and structures; ties are in alphabetical order. What has none of these comes last, and first with `-`.',
  examples: {
    title: 'Examples',
    search: 'Search',
    everything: 'Everything that belongs to it, in one call',
    client: 'Search with fhir-kit-client',
    read: 'Read by id',
  },
  rules: {
    title: 'Search rules',
    strict: 'An unknown or empty parameter is refused (400)',
    strictAbout:
      'In a directory, a criterion that is silently ignored points at the wrong person. With `Prefer: handling=lenient` it is ignored, and reported in the answer by an entry with `search.mode=outcome`.',
    folding: 'Accents, case, hyphens and apostrophes',
    foldingAbout:
      'They never matter in searches by words: lebœuf and LEBOEUF are the same, and so are saint-luc and Saint Luc.',
    together: 'Words together or apart',
    togetherAbout:
      'In names, `legall` finds LE GALL, and `le gall` finds LEGALL: neighbouring words count as the whole word that they make together. Initials with dots are one word in names of structures; in addresses `12 bis` is `12b`, and `3eme` is `3e`.',
    said: 'What people say',
    saidAbout:
      'Titles before the name of a person (Dr, Pr, M., Mme) are left out. Labels are found by usual words too: `infirmière`, `kiné`, `cardiologue`.',
    notes: 'Notes',
    notesAbout:
      'An entry with `search.mode=outcome` says what was left out or read in another way. Where a search by words or labels finds nothing, it names what was understood and up to three searches that find something, with their totals.',
    joining: 'Or, and',
    joiningAbout:
      'A comma separates possible values; a repeated parameter narrows the search. The signs `,` `|` `$` `\\` are written with `\\` before them.',
    post: 'By form',
    postAbout:
      '`POST [base]/Type/_search`, as `application/x-www-form-urlencoded`, takes the same parameters: nothing is left in logs of addresses.',
    dates: 'Dates',
    datesAbout: (prefixes) => `Year, month, day or instant, in UTC where no time zone is given. Prefixes: ${prefixes}.`,
  },
  modifiers: {
    title: 'Modifiers',
    about: 'They stand behind the name of the parameter, as in `name:exact`; the tables above say which ones it takes.',
    modifier: 'Modifier',
    meaning: 'Meaning',
    meanings: {
      exact: 'The whole value, accents and case included.',
      missing: '`true`: nothing is there; `false`: something is.',
      not: 'What does not have this value.',
      text: 'The label begins so, or a word that people say for it.',
      type: 'The reference leads to this type; the value may then be the id alone.',
    },
  },
  resultParameters: {
    title: 'Shape the answer',
    parameter: 'Parameter',
    meaning: 'Effect',
    meanings: {
      _count: (limits) =>
        `Resources of a page: ${limits.defaultCount} without it, ${limits.largestCount} at most. \`0\` gives the total alone.`,
      _total: () =>
        '`accurate` always counts; `none` does not. Without it, a total that is costly to count is left out.',
      _totalMethod: () => 'The same as `_total`, by the name that fhirpy sends; `count` always counts.',
      _page: () => 'Place in a series of pages: follow the links of the Bundle, don’t build your own.',
      _sort: () => 'Order of the results.',
      _include: () => 'Includes the resources that the results point to.',
      '_include:recurse': () => 'Also follows the links of what was included.',
      '_revinclude:recurse': () => 'Also includes what points to what was included.',
      _revinclude: () => 'Includes the resources that point to the results.',
      _summary: () => '`true`, `text`, `data`, `count` or `false`: a part of each resource, or their number.',
      _elements: () =>
        'The elements that are wanted, separated by commas; with a type in front (`Organization.name`), those of included resources.',
      _format: () => '`json` or `xml`; beats the `Accept` header.',
      _pretty: () => '`true`: the answer is laid out to be read.',
    },
  },
  paging: {
    title: 'Pages',
    about:
      'Follow the links `first`, `previous` and `next` as they are: they stay with the edition the first page came from, so that no resource is repeated or left out when the directory is reloaded. An edition that has been dropped answers 410: start the search again.',
  },
  formats: {
    title: 'Formats and copies',
    formats: 'JSON and XML',
    formatsAbout: (types) => `${types}. Choose by \`Accept\` or \`_format\`; JSON by default, always UTF-8.`,
    compression: 'Compression',
    compressionAbout: 'gzip and br, by `Accept-Encoding`.',
    conditional: 'Conditional reads',
    conditionalAbout:
      'A read carries `ETag` and `Last-Modified`; `If-None-Match` or `If-Modified-Since` give 304 when nothing has changed.',
    versions: 'Versions',
    versionsAbout:
      '`Type/id/_history/version` reads the current version; others are not kept. A resource that has left the directory answers 410.',
    cors: 'From a browser',
    corsAbout: 'Any origin may call (CORS): the token is never sent without your knowledge.',
  },
  batch: {
    title: 'Several requests at once',
    about: (entries) =>
      `\`POST [base]\` with a Bundle of type \`batch\`, in JSON: up to ${entries} reads and searches, all by \`GET\`. The answer is a Bundle of type \`batch-response\`, in the same order; each entry has its \`response.status\`, and an \`outcome\` if it was refused.`,
    rules:
      'Each entry needs its own scopes and counts as one request. `ifNoneMatch` or `ifModifiedSince` in its `request` give 304 when nothing has changed. Entries for which the answer has no room left are refused: take smaller pages.',
  },
  bulk: {
    title: 'The whole directory, and its changes',
    about:
      'The export follows FHIR Bulk Data Access: a manifest, then NDJSON files that can be resumed where they broke off (`Range`).',
    next: 'The address `extension.next` of the manifest gives, the next time, what was added, changed or removed since.',
    permissions: 'The scopes of the exported types are needed; `_type` narrows them.',
  },
  errors: {
    title: 'Errors',
    about:
      'Every refusal is an OperationOutcome: `diagnostics` names the fault and the remedy, `location` the parameter concerned.',
    language: '',
    status: 'Status',
    code: 'Code',
    codeLead: 'Code:',
    meaning: 'What to do',
    meanings: {
      400: 'A parameter is unknown, empty or malformed, or the search costs too much. Correct what `location` points at.',
      401: 'No token, or one that is unknown, expired or revoked. Have the person sign in again.',
      403: 'The token lacks the scope, or no person stands behind it. Ask for it in `scope`.',
      404: 'There is no such type, id or version.',
      405: 'The directory is read-only. `Allow` names the possible methods.',
      406: 'None of the formats that are asked for is served.',
      410: 'The resource has left the directory, or the page’s edition has been dropped. Search again.',
      413: 'The form or the batch is too large.',
      414: 'The address is too long. Search by form.',
      415: 'A form is sent as `application/x-www-form-urlencoded`, a batch as `application/fhir+json`.',
      416: 'The file is already complete: there is nothing after that byte.',
      429: 'Too many requests. Wait as long as `Retry-After` says.',
      503: 'No edition is loaded, or tokens cannot be checked. Try again after `Retry-After`.',
    },
  },
  limits: {
    title: 'Limits',
    what: 'Limit',
    value: 'Value',
    names: {
      largestCount: 'Resources of a page',
      parameters: 'Parameters of a search',
      chains: 'Chains of a search',
      alternatives: 'Values separated by commas',
      valueLength: 'Characters of a value',
      wordsOfValue: 'Words of a value',
      wordsOfSearch: 'Words of a search',
      queryBytes: 'Bytes of the address after the question mark',
      formBytes: 'Bytes of a form',
      batchEntries: 'Entries of a batch',
      batchBytes: 'Bytes of a batch',
      criteriaBytes: 'Bytes of the understood criteria',
      pages: 'Pages of a search',
      included: 'Included resources per page',
      exportResources: 'Resources of a file of an export',
    },
    rates: 'The operator limits the rate of each application; beyond it, 429 with `Retry-After`.',
  },
};
