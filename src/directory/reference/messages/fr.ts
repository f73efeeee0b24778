// The French messages of the reference page. The messages of every other language must have the type of this object.
// Typography: the apostrophe is ’. A no-break space (\u00a0) stands before : ; ! ? and inside « ».

import { FIRST_FR, RULES_FR } from './first-fr.ts';
import { TRY_FR } from './try-fr.ts';

export const fr = {
  title: 'Annuaire des professionnels de santé',
  lead: 'Référence de l’API\u00a0: FHIR STU3, en lecture seule, avec le jeton d’une personne connectée.',
  contents: 'Sommaire',
  facts: {
    base: 'Adresse de base',
    edition: 'Édition en service',
    loaded: (date: string) => `importée le ${date}`,
    counts: (people: string, structures: string, roles: string) =>
      `${people} professionnels, ${structures} structures, ${roles} exercices`,
    none: 'aucune pour le moment',
    machine: 'Pour les programmes',
    openapi: 'OpenAPI 3.1',
    metadata: 'CapabilityStatement',
    smart: 'SMART',
  },
  codeIn: 'Exemples en',
  ...FIRST_FR,
  sample: {
    title: 'La réponse',
    about:
      'Une recherche répond par un Bundle\u00a0: `total`, les liens des pages, et une ressource par entrée. Cette personne est inventée.',
    systems: 'Systèmes d’identifiants',
    system: 'Système',
    meaning: 'Ce qu’il identifie',
    meanings: {
      national: 'Identifiant national d’une personne\u00a0: `8` suivi du numéro RPPS.',
      rpps: 'Numéro RPPS.',
      rppsHere: 'Numéro RPPS, sous le système propre à ce service.',
      structure: 'Identifiant national d’une structure.',
      finess: 'Numéro FINESS.',
      sirene: 'Numéro SIRET ou SIREN.',
    } as Record<string, string>,
  },
  type: {
    Practitioner: {
      title: 'Professionnels',
      about:
        'Les professionnels de santé\u00a0: noms, identifiants, qualifications, lieux d’exercice, messageries sécurisées.',
    },
    Organization: {
      title: 'Structures',
      about: 'Les structures de soins et les entités juridiques dont elles dépendent.',
    },
    PractitionerRole: {
      title: 'Exercices',
      about:
        'Ce que fait un professionnel dans une structure, et avec quelles spécialités. Relie les personnes aux structures. Qui n’exerce dans aucune structure ne s’y trouve pas\u00a0: `Practitioner?qualification=` trouve toutes les personnes d’une spécialité, et la réponse le dit.',
    },
    SearchParameter: {
      title: 'Définitions des critères',
      about: 'Les critères de recherche propres à cet annuaire. Ouvert à tous, sans jeton.',
    },
    CodeSystem: {
      title: 'Codes de l’édition',
      about:
        'Professions, spécialités, rôles et catégories de structures présents dans l’édition en vigueur, avec leurs libellés, les mots de tous les jours, et le nombre de ressources qui portent chaque code (`property` `count`)\u00a0: de quoi remplir une liste. Ouvert à tous, sans jeton.',
    },
  } as Record<string, { title: string; about: string }>,
  scope: (scopes: string) => `Autorisation nécessaire\u00a0: ${scopes}`,
  scopes: (scopes: string) => `Autorisations nécessaires, ensemble\u00a0: ${scopes}`,
  open: 'Sans jeton.',
  table: {
    criteria: 'Critères de recherche',
    filter: 'Filtrer les critères',
    filtered: 'critères\u00a0: {n}',
    parameters: (type: string) => `Critères de recherche de ${type}`,
    parameter: 'Critère',
    rule: 'Ce qui est trouvé',
    modifiersLead: 'Modificateurs\u00a0:',
    example: 'Exemple',
    exampleLead: 'Exemple\u00a0:',
    unencoded:
      'Les exemples de la table ne sont pas encodés pour une adresse\u00a0: `curl -G --data-urlencode` s’en charge. Ce qui est entre `<>` est à remplir.',
  },
  /** Texts on what a parameter searches. A key is `Type.parameter`, or the name of a parameter that several types have. */
  looksAt: {
    'Practitioner.name': 'Nom de famille et prénoms.',
    'Practitioner.identifier': 'Numéro RPPS, identifiant national, et tout autre identifiant.',
    'Practitioner.qualification': 'Profession, diplômes, spécialités.',
    'Practitioner.address': 'Adresses d’exercice.',
    'Practitioner.telecom': 'Adresses de messagerie sécurisée de santé.',
    'Organization.telecom':
      'Téléphone, télécopie, e-mail et messagerie sécurisée de santé, aussi sous la forme `phone|value` ou `fax|`.',
    email: 'Adresses électroniques, messageries sécurisées de santé comprises.',
    'Practitioner.phone': 'Numéros de téléphone. Les registres publics n’ont que ceux des structures.',
    phone: 'Numéros de téléphone, sans les télécopies.',
    'mailbox-mss':
      'Adresses de messagerie sécurisée de santé (MSSanté), sous le nom que l’API de l’annuaire national donne au paramètre.',
    'Practitioner.family': 'Nom de famille.',
    'Practitioner.given': 'Prénoms.',
    'Organization.name': 'Nom de la structure et ses autres noms.',
    'Organization.identifier': 'Numéros FINESS, SIRET, SIREN, et tout autre identifiant.',
    'Organization.address': 'Adresse de la structure.',
    'Organization.part-of': 'Structure dont celle-ci fait partie.',
    'Organization.partof': 'Le même critère, sous le nom que lui donne HL7.',
    'Organization.type': 'Catégorie de la structure.',
    'Organization.near': 'Où se trouve la structure, d’après FINESS.',
    'PractitionerRole.practitioner': 'La personne.',
    'PractitionerRole.organization': 'La structure.',
    'PractitionerRole.role': 'Mode d’exercice, fonction, section.',
    'PractitionerRole.specialty': 'Spécialités et compétences.',
    'CodeSystem.url': 'Adresse du système de codes, comme dans les ressources.',
    'CodeSystem.name': 'Nom du système de codes.',
    'SearchParameter.url': 'Adresse canonique de la définition.',
    'SearchParameter.code': 'Nom du critère dans une recherche.',
    'SearchParameter.base': 'Type de ressource qu’il cherche.',
    'SearchParameter.type': 'Type du critère.',
    'address-city': 'Ville.',
    'address-postalcode': 'Code postal.',
    active: 'Inscription en vigueur ou non.',
    _id: 'Identifiant de la ressource.',
    _lastUpdated: 'Date de l’import où la ressource est apparue ou a changé.',
  } as Record<string, string>,
  matching: {
    words: 'Chaque mot de la valeur est le début d’un mot.',
    token: 'Valeur exacte\u00a0: `code`, `système|code`, `|code` ou `système|`.',
    labelled: 'Valeur exacte\u00a0: `code`, `système|code`, le libellé entier, ou un mot d’usage pour lui.',
    contact: 'Adresse exacte, sans égard à la casse, ou numéro exact sous toute graphie (`+33 1` vaut `01`).',
    email: 'Adresse exacte, sans égard à la casse.',
    phone: 'Numéro exact sous toute graphie (`+33 1` vaut `01`).',
    mss: 'Adresse exacte, sans égard à la casse.',
    boolean: '`true` ou `false`.',
    id: 'Identifiant exact.',
    uri: 'Adresse exacte.',
    near: 'Lieu et distance\u00a0: `latitude|longitude|distance|unité`, en degrés avec un point (WGS\u00a084), unité `km` ou `m`\u00a0; 10\u00a0km sans distance. L’entrée de chaque résultat donne sa distance\u00a0; `_sort=near` met les plus proches en tête.',
    reference: 'Référence exacte\u00a0: `Type/id`, `id`, ou l’adresse complète.',
    instant: 'Date ou instant, complet ou non, avec un préfixe.',
  } as Record<string, string>,
  minimum: (count: number) => `${count}\u00a0caractères au moins.`,
  equivalents: 'Abréviations usuelles comprises (bd, av, st).',
  target: (type: string) => `Vers ${type}.`,
  oneAddress: 'Tous les mots doivent se trouver dans une même adresse.',
  includes: 'Ressources jointes',
  includesAbout:
    'Les ressources liées arrivent dans la même réponse\u00a0; elles ne comptent pas dans `total`. `_include:recurse` suit aussi les liens de ce qui a été joint, `*` les suit tous. La place d’une page est partagée équitablement entre ces demandes\u00a0; ce qui n’en a pas trouvé est nommé dans un OperationOutcome de la réponse.',
  chains: 'Recherches chaînées',
  chainsAbout:
    'Un paramètre d’une ressource liée restreint la recherche\u00a0: `practitioner.name` suit la référence, `_has:PractitionerRole:practitioner:specialty` la remonte. Tout paramètre du type lié peut terminer la chaîne, avec ses modificateurs, et il faut les scopes des deux types. Chaque chaîne est un critère à part\u00a0; il n’y a qu’un niveau.',
  sorts: 'Tri',
  sortsAbout:
    'Ordre alphabétique sans `_sort`\u00a0; un signe `-` inverse l’ordre. `given` et `address-city` suivent les premiers prénoms et la première ville, `practitioner` et `organization` l’ordre alphabétique des personnes et des structures\u00a0; à égalité, l’ordre est alphabétique. Ce qui n’en a pas vient à la fin, et au début avec `-`.',
  examples: {
    title: 'Exemples',
    search: 'Chercher',
    everything: 'Tout ce qui s’y rattache, en un appel',
    read: 'Lire par identifiant',
  },
  rules: RULES_FR,
  tryIt: TRY_FR,
  modifiers: {
    title: 'Modificateurs',
    about:
      'Ils s’écrivent derrière le nom du critère, comme dans `name:exact`\u00a0; les tables ci-dessus disent lesquels chacun accepte.',
    modifier: 'Modificateur',
    meaning: 'Sens',
    meanings: {
      exact: 'La valeur entière, accents et casse compris.',
      missing: '`true`\u00a0: rien n’est renseigné\u00a0; `false`\u00a0: quelque chose l’est.',
      not: 'Ce qui n’a pas cette valeur.',
      text: 'Le libellé commence ainsi, ou un mot d’usage pour lui.',
      type: 'La référence mène à ce type\u00a0; la valeur peut alors n’être que l’identifiant.',
    } as Record<string, string>,
  },
  resultParameters: {
    title: 'Régler la réponse',
    parameter: 'Paramètre',
    meaning: 'Effet',
    meanings: {
      _count: (limits: { defaultCount: number; largestCount: number }) =>
        `Ressources par page\u00a0: ${limits.defaultCount} sans lui, ${limits.largestCount} au plus. \`0\` ne donne que le total.`,
      _total: () =>
        '`accurate` compte toujours\u00a0; `none` ne compte pas. Sans lui, un total coûteux à compter est omis.',
      _totalMethod: () => 'Le même que `_total`, sous le nom qu’envoie fhirpy\u00a0; `count` compte toujours.',
      _page: () => 'Place dans un parcours\u00a0: suivez les liens du Bundle, n’en fabriquez pas.',
      _sort: () => 'Ordre des résultats.',
      _include: () => 'Joint les ressources vers lesquelles pointent les résultats.',
      '_include:recurse': () => 'Suit aussi les liens de ce qui a été joint.',
      '_revinclude:recurse': () => 'Joint aussi ce qui pointe vers ce qui a été joint.',
      _revinclude: () => 'Joint les ressources qui pointent vers les résultats.',
      _summary: () =>
        '`true`, `text`, `data`, `count` ou `false`\u00a0: une partie de chaque ressource, ou leur nombre.',
      _elements: () =>
        'Les éléments voulus, séparés par des virgules\u00a0; précédés d’un type (`Organization.name`), ceux des ressources jointes.',
      _format: () => '`json` ou `xml`\u00a0; l’emporte sur l’en-tête `Accept`.',
      _pretty: () => '`true`\u00a0: réponse mise en page pour être lue.',
    } as Record<string, (limits: { defaultCount: number; largestCount: number }) => string>,
  },
  paging: {
    title: 'Pages',
    about:
      'Suivez les liens `first`, `previous` et `next` tels quels\u00a0: ils restent sur l’édition où le parcours a commencé, si bien qu’aucune ressource n’est répétée ni oubliée quand une autre édition est importée. Une édition retirée répond 410\u00a0: recommencez la recherche.',
  },
  formats: {
    title: 'Formats et copies',
    formats: 'JSON et XML',
    formatsAbout: (types: string) =>
      `${types}. Choisissez par \`Accept\` ou \`_format\`\u00a0; JSON par défaut, UTF-8 toujours.`,
    compression: 'Compression',
    compressionAbout: 'gzip et br, selon `Accept-Encoding`.',
    conditional: 'Lectures conditionnelles',
    conditionalAbout:
      'Une lecture porte `ETag` et `Last-Modified`\u00a0; `If-None-Match` ou `If-Modified-Since` donnent 304 si rien n’a changé.',
    versions: 'Versions',
    versionsAbout:
      '`Type/id/_history/version` lit la version courante\u00a0; les autres ne sont pas gardées. Une ressource qui a quitté l’annuaire répond 410.',
    cors: 'Depuis un navigateur',
    corsAbout: 'Toute origine peut appeler (CORS)\u00a0: le jeton n’est jamais envoyé à votre insu.',
  },
  batch: {
    title: 'Plusieurs demandes à la fois',
    about: (entries: number) =>
      `\`POST [base]\` avec un Bundle de type \`batch\`, en JSON\u00a0: jusqu’à ${entries} lectures et recherches, toutes par \`GET\`. La réponse est un Bundle de type \`batch-response\`, dans le même ordre\u00a0; chaque entrée a son \`response.status\`, et un \`outcome\` si elle est refusée.`,
    rules:
      'Chaque entrée exige ses propres autorisations et compte pour une requête. `ifNoneMatch` ou `ifModifiedSince` dans sa `request` donnent 304 si rien n’a changé. Les entrées pour lesquelles la réponse n’a plus de place sont refusées\u00a0: demandez des pages plus petites.',
  },
  bulk: {
    title: 'Changements',
    everything: 'Tout l’annuaire',
    changes: 'Ce qui a changé depuis',
    service:
      'Le service lui-même suit Semantic Versioning (`software.version` dans `metadata`). Des critères et des éléments peuvent s’ajouter à tout moment\u00a0: ignorez ceux que vous ne connaissez pas.',
    about:
      'L’export suit FHIR Bulk Data Access\u00a0: un manifeste, puis des fichiers NDJSON que l’on peut reprendre où ils se sont interrompus (`Range`).',
    next: 'L’adresse `extension.next` du manifeste donne, la fois suivante, ce qui a été ajouté, modifié ou retiré depuis.',
    permissions: 'Il faut les autorisations des types exportés\u00a0; `_type` les restreint.',
  },
  errors: {
    title: 'Erreurs',
    about:
      'Chaque refus est un OperationOutcome\u00a0: `diagnostics` nomme la faute et le remède, `location` le critère en cause.',
    language: 'Ces textes de l’API sont en anglais.',
    status: 'Statut',
    code: 'Code',
    codeLead: 'Code\u00a0:',
    meaning: 'Que faire',
    meanings: {
      400: 'Un critère est inconnu, vide ou mal formé, ou la recherche coûte trop. Corrigez ce que `location` désigne.',
      401: 'Pas de jeton, ou un jeton inconnu, expiré ou révoqué. Reconnectez la personne.',
      403: 'Le jeton n’a pas l’autorisation, ou aucune personne n’est derrière lui. Demandez-la dans `scope`.',
      404: 'Ce type, cet identifiant ou cette version n’existe pas.',
      405: 'L’annuaire est en lecture seule. `Allow` dit les méthodes possibles.',
      406: 'Aucun des formats demandés n’est servi.',
      410: 'La ressource a quitté l’annuaire, ou l’édition de la page a été retirée. Cherchez à nouveau.',
      413: 'Le formulaire ou le lot est trop grand.',
      414: 'L’adresse est trop longue. Cherchez par formulaire.',
      415: 'Un formulaire s’envoie en `application/x-www-form-urlencoded`, un lot en `application/fhir+json`.',
      416: 'Le fichier est déjà entier\u00a0: il n’y a rien après cet octet.',
      429: 'Trop de requêtes. Attendez le temps que dit `Retry-After`.',
      503: 'Aucune édition n’est en service, ou les jetons ne peuvent pas être vérifiés. Réessayez après `Retry-After`.',
    } as Record<number, string>,
  },
  limits: {
    title: 'Limites',
    what: 'Limite',
    value: 'Valeur',
    names: {
      largestCount: 'Ressources par page',
      parameters: 'Critères par recherche',
      chains: 'Chaînes d’une recherche',
      alternatives: 'Valeurs séparées par des virgules',
      valueLength: 'Caractères par valeur',
      wordsOfValue: 'Mots par valeur',
      wordsOfSearch: 'Mots par recherche',
      circlesOfSearch: 'Cercles (`near`) par recherche',
      queryBytes: 'Octets de l’adresse après le point d’interrogation',
      formBytes: 'Octets d’un formulaire',
      batchEntries: 'Entrées d’un lot',
      batchBytes: 'Octets d’un lot',
      criteriaBytes: 'Octets des critères compris',
      pages: 'Pages par parcours',
      included: 'Ressources jointes par page',
      exportResources: 'Ressources par fichier d’un export',
    } as Record<string, string>,
    rates: 'Le débit de chaque application est limité par l’exploitant\u00a0; au-delà, 429 avec `Retry-After`.',
  },
};

/** The messages in one language. If a language lacks a key, the type check fails. */
export type ReferenceMessages = typeof fr;
