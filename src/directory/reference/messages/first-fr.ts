// The French messages of the reference page on the first request, search rules, operations and elements.

import { hygie } from '#shared/operator-messages.ts';

export const FIRST_FR = {
  start: {
    title: 'Première requête',
    where: 'Où voulez-vous commencer\u00a0?',
    ways: { machine: 'Sur ma machine', registered: 'Avec une application déclarée' } as Record<string, string>,
    run: 'Démarrer le service',
    runAbout:
      'Dans une copie du dépôt. Il vient avec un annuaire et des personnes fictifs\u00a0; sur votre machine, l’exploitant, c’est vous.',
    try: 'Envoyer une requête',
    tryAbout: 'Sans rien écrire\u00a0: une page vous connecte, envoie la requête, montre la réponse et le code.',
    token: 'Prendre un jeton pour le terminal',
    tokenAbout:
      'L’application de démonstration montre le sien sur la page «\u00a0En ligne de commande\u00a0»\u00a0: copiez `TOKEN`.',
    demo: 'L’application de démonstration',
    own: 'Déclarer sa propre application',
    ownAbout: `Une entrée de \`config/clients.yaml\`, prise en compte sans redémarrage. \`${hygie('clients secret')}\` donne un secret et son empreinte (\`hash\`). Les étapes sont ensuite celles d’une application déclarée.`,
    register: 'Faire déclarer l’application',
    registerAbout:
      'L’exploitant du service vous remet un `client_id`, un secret si votre application a un serveur, et enregistre votre adresse de retour.',
    signIn: 'Envoyer la personne se connecter',
    signInAbout:
      'Avec PKCE\u00a0: seule l’empreinte de `VERIFIER` part. Le navigateur revient à votre adresse avec `code` et `state`. Vérifiez que `state` est bien celui que vous avez envoyé\u00a0; 30\u00a0caractères tirés au hasard au moins sont recommandés. `version=2.0.0` peut être ajouté, sans obligation.',
    exchange: 'Échanger le code contre un jeton',
    exchangeAbout:
      'Un serveur ajoute son secret\u00a0: `-u "$CLIENT_ID:$CLIENT_SECRET"`. La réponse contient `access_token`, sa durée `expires_in` en secondes, et `id_token` si `openid` a été demandé.',
    search: 'Chercher',
    searchAbout: 'Chaque appel porte le jeton dans l’en-tête `Authorization`. Toute bibliothèque FHIR STU3 convient.',
    unattended: 'Sans personne au clavier, la nuit par exemple',
    unattendedAbout:
      'Une personne se connecte une fois\u00a0: ajoutez `offline_access` à `scope`, et `prompt=consent` (inutile pour une application à `refreshTokens: always`). La réponse à l’échange contient alors `refresh_token`, qui donne d’autres jetons sans elle. Gardez celui que chaque réponse vous remet\u00a0: il remplace le précédent. L’exploitant doit permettre `offline_access` à l’application. Un serveur que l’exploitant laisse lire sans personne (`directoryAccess`) obtient un jeton pour lui-même par `grant_type=client_credentials` et `scope`, avec son secret ou sa clé.',
  },
  operations: {
    title: 'Opérations',
    path: 'Sous l’adresse de base',
    does: 'Effet',
    scope: 'Autorisation',
    search: 'Chercher',
    read: 'Lire une ressource',
    form: 'Chercher par formulaire',
    version: 'Lire la version courante',
    batch: 'Plusieurs demandes à la fois',
    bulk: 'Tout l’annuaire, ou ses changements',
    ofTypes: 'Celles des types concernés',
    capabilities: 'Ce que sait faire le service',
    smart: 'Où et comment se connecter',
  },
  fields: {
    title: 'Éléments',
    element: 'Élément',
    meaning: 'Contenu',
    filled: 'Renseigné',
    filledLead: 'Renseigné\u00a0:',
    meanings: {
      id: 'Identifiant de la ressource, le même d’une édition à l’autre.',
      meta: 'Version, et date de l’import où la ressource est apparue ou a changé.',
      active: 'Inscription en vigueur.',
      name: 'Nom.',
      title: 'Nom pour les personnes.',
      description: 'Ce que le critère cherche.',
      url: 'Adresse canonique.',
      'Practitioner.identifier': 'Identifiant national, numéro RPPS, autres numéros, chacun sous son système.',
      'Practitioner.name': 'Nom et prénoms d’exercice\u00a0; la civilité dans `prefix`.',
      'Practitioner.telecom': 'Messageries sécurisées de santé (MSSanté) de la personne.',
      'Practitioner.address': 'Lieux d’exercice.',
      'Practitioner.qualification': 'Profession, catégorie, spécialités, diplômes\u00a0: un code par nomenclature.',
      'Organization.identifier': 'Identifiant national de structure, numéros FINESS, SIRET, SIREN.',
      'Organization.type': 'Catégorie, secteur d’activité.',
      'Organization.name': 'Raison sociale.',
      'Organization.alias': 'Enseigne et autres noms.',
      'Organization.telecom': 'Téléphone, télécopie, e-mail, messageries sécurisées des services.',
      'Organization.address': 'Adresse\u00a0; la position en extension `geolocation`, là où FINESS la donne.',
      'Organization.partOf': 'Entité juridique ou structure dont celle-ci fait partie.',
      'PractitionerRole.practitioner': 'La personne.',
      'PractitionerRole.organization': 'La structure où elle exerce.',
      'PractitionerRole.code': 'Mode d’exercice, fonction, section.',
      'PractitionerRole.specialty': 'Spécialités et compétences exercées là.',
      'SearchParameter.code': 'Nom du critère dans une recherche.',
      'SearchParameter.base': 'Types de ressources qu’il cherche.',
      'SearchParameter.type': 'Type du critère.',
      'SearchParameter.target': 'Types vers lesquels mène une référence.',
      'SearchParameter.xpath': 'Élément qu’il regarde.',
      'CodeSystem.date': 'Date de l’édition.',
      'CodeSystem.content': '`fragment`\u00a0: les seuls codes de l’édition.',
      'CodeSystem.property': 'Ce que dit `count`.',
      'CodeSystem.concept': 'Codes, libellés, mots d’usage (`designation`) et nombre de ressources (`count`).',
    } as Record<string, string>,
  },
};

export const RULES_FR = {
  title: 'Règles de recherche',
  strict: 'Un critère inconnu ou vide est refusé (400)',
  strictAbout:
    'Dans un annuaire, un critère ignoré en silence désigne la mauvaise personne. Avec `Prefer: handling=lenient`, il est ignoré, et signalé dans la réponse par une entrée `search.mode=outcome`.',
  folding: 'Accents, casse, traits d’union et apostrophes',
  foldingAbout:
    'Ils ne comptent jamais dans les recherches par mots\u00a0: lebœuf et LEBOEUF se valent, saint-luc et Saint Luc aussi.',
  together: 'Mots collés ou séparés',
  togetherAbout:
    'Dans les noms, `legall` trouve LE GALL, et `le gall` trouve LEGALL\u00a0: des mots voisins valent le mot entier qu’ils forment ensemble. Les initiales avec des points sont un seul mot dans les noms de structures\u00a0; dans les adresses, `12 bis` vaut `12b`, et `3eme` vaut `3e`.',
  said: 'Mots de tous les jours',
  saidAbout:
    'Les titres devant le nom d’une personne (Dr, Pr, M., Mme) sont laissés de côté. Les libellés se trouvent aussi par les mots d’usage\u00a0: `infirmière`, `kiné`, `cardiologue`.',
  notes: 'Remarques',
  notesAbout:
    'Une entrée `search.mode=outcome` dit ce qui a été laissé de côté ou lu autrement. Là où une recherche par mots ou par libellés ne trouve rien et que d’autres trouveraient, elle nomme ce qui a été compris et jusqu’à trois recherches qui trouvent quelque chose, avec leurs totaux.',
  joining: 'Ou, et',
  joiningAbout:
    'Une virgule sépare des valeurs possibles\u00a0; un critère répété restreint la recherche. Les signes `,` `|` `$` `\\` s’écrivent précédés de `\\`.',
  post: 'Par formulaire',
  postAbout:
    '`POST [base]/Type/_search`, en `application/x-www-form-urlencoded`, accepte les mêmes critères\u00a0: rien ne reste dans les journaux d’adresses.',
  dates: 'Dates',
  datesAbout: (prefixes: string) =>
    `Année, mois, jour ou instant, en UTC sans fuseau indiqué. Préfixes\u00a0: ${prefixes}.`,
};
