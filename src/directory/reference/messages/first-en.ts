// The English messages of the reference page on the first request, search rules, operations and elements.

import { hygie } from '#shared/operator-messages.ts';
import type { FIRST_FR, RULES_FR } from './first-fr.ts';

export const FIRST_EN: typeof FIRST_FR = {
  start: {
    title: 'First request',
    where: 'Where do you want to begin?',
    ways: { machine: 'On my machine', registered: 'With a registered application' },
    run: 'Start the service',
    runAbout:
      'In a copy of the repository. It comes with a fictional directory and fictional people; on your own machine, the operator is you.',
    try: 'Send a request',
    tryAbout: 'Without writing anything: a page signs you in, sends the request, and shows the answer and the code.',
    token: 'Take a token for the terminal',
    tokenAbout: 'The demo application shows its own on the page “On the command line”: copy `TOKEN`.',
    demo: 'The demo application',
    own: 'Register an application of your own',
    ownAbout: `An entry of \`config/clients.yaml\`, in force without a restart. \`${hygie('clients secret')}\` gives a secret and its digest (\`hash\`). The next steps are those of a registered application.`,
    register: 'Have your application registered',
    registerAbout:
      'The operator of the service gives you a `client_id`, a secret if your application has a server, and registers your callback address.',
    signIn: 'Send the person to sign in',
    signInAbout:
      'With PKCE: only the digest of `VERIFIER` goes along. The browser comes back to your address with `code` and `state`. Check that `state` is the one you sent; at least 30 random characters are recommended. `version=2.0.0` may be added, but needn’t be.',
    exchange: 'Exchange the code for a token',
    exchangeAbout:
      'A server adds its secret: `-u "$CLIENT_ID:$CLIENT_SECRET"`. The answer holds `access_token`, its lifetime `expires_in` in seconds, and `id_token` when `openid` was asked for.',
    search: 'Search',
    searchAbout: 'Every call carries the token in the `Authorization` header. Any FHIR STU3 library will do.',
    unattended: 'With nobody at the keyboard, for example at night',
    unattendedAbout:
      'A person signs in once: add `offline_access` to `scope`, and `prompt=consent` (an application with `refreshTokens: always` needs no prompt). The answer to the exchange then holds `refresh_token`, which gives further tokens without them. Keep the one each answer gives you: it replaces the previous one. The operator has to allow the application `offline_access`. A server that the operator lets read without any person (`directoryAccess`) gets a token for itself by `grant_type=client_credentials` and `scope`, with its secret or key.',
  },
  operations: {
    title: 'Operations',
    path: 'Below the base address',
    does: 'Does',
    scope: 'Scope',
    search: 'Search',
    read: 'Read one resource',
    form: 'Search by a form',
    version: 'Read the current version',
    batch: 'Several requests at once',
    bulk: 'The whole directory, or its changes',
    ofTypes: 'Those of the types concerned',
    capabilities: 'What the service can do',
    smart: 'Where and how to sign in',
  },
  fields: {
    title: 'Elements',
    element: 'Element',
    meaning: 'Content',
    filled: 'Filled',
    filledLead: 'Filled:',
    meanings: {
      id: 'Id of the resource, the same from one edition to the next.',
      meta: 'Version, and time of the import in which the resource appeared or changed.',
      active: 'Whether the entry is in force.',
      name: 'Name.',
      title: 'Name for people.',
      description: 'What the parameter searches.',
      url: 'Canonical address.',
      'Practitioner.identifier': 'National identifier, RPPS number, other numbers, each under its system.',
      'Practitioner.name': 'Family and given names in practice; the civility in `prefix`.',
      'Practitioner.telecom': 'The person’s addresses of secure health messaging (MSSanté).',
      'Practitioner.address': 'Places of work.',
      'Practitioner.qualification': 'Profession, category, specialties, diplomas: one code for each nomenclature.',
      'Organization.identifier': 'National identifier of a structure, FINESS, SIRET and SIREN numbers.',
      'Organization.type': 'Category, sector of activity.',
      'Organization.name': 'Registered name.',
      'Organization.alias': 'Trade name and other names.',
      'Organization.telecom': 'Phone, fax, mail, and secure mailboxes of the services.',
      'Organization.address': 'Address; the position as the extension `geolocation`, where FINESS states it.',
      'Organization.partOf': 'Legal entity or structure that this one is a part of.',
      'PractitionerRole.practitioner': 'The person.',
      'PractitionerRole.organization': 'The structure where the person works.',
      'PractitionerRole.code': 'Type of practice, function, section.',
      'PractitionerRole.specialty': 'Specialties and skills practised there.',
      'SearchParameter.code': 'Name of the parameter in a search.',
      'SearchParameter.base': 'Types of resources that it searches.',
      'SearchParameter.type': 'Type of the parameter.',
      'SearchParameter.target': 'Types that a reference leads to.',
      'SearchParameter.xpath': 'Element that it looks at.',
      'CodeSystem.date': 'Date of the edition.',
      'CodeSystem.content': '`fragment`: the codes of the edition alone.',
      'CodeSystem.property': 'What `count` says.',
      'CodeSystem.concept':
        'Codes, labels, what people say for them (`designation`), and numbers of resources (`count`).',
    },
  },
};

export const RULES_EN: typeof RULES_FR = {
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
    'An entry with `search.mode=outcome` says what was left out or read in another way. Where a search by words or labels finds nothing and others would, it names what was understood and up to three searches that find something, with their totals.',
  joining: 'Or, and',
  joiningAbout:
    'A comma separates possible values; a repeated parameter narrows the search. The signs `,` `|` `$` `\\` are written with `\\` before them.',
  post: 'By form',
  postAbout:
    '`POST [base]/Type/_search`, as `application/x-www-form-urlencoded`, takes the same parameters: nothing is left in logs of addresses.',
  dates: 'Dates',
  datesAbout: (prefixes) => `Year, month, day or instant, in UTC where no time zone is given. Prefixes: ${prefixes}.`,
};
