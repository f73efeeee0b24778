// Columns of the four registers of people: activities (PA), diplomas and authorisations (DI), skills (SF) and secure mail addresses (MSS).

import { FINESS_NUMBER, indexOfColumns, LETTERS, MAIL_ADDRESS, maps, omits, PHONE } from '#import/collect/columns.ts';

const NATIONAL_ID = /^\d[0-9A-Za-z/.-]{3,}$/;
/** Shape of a national identifier without its first digit, which states the type of the identifier. */
const SHORT_ID = /^[0-9A-Za-z/.-]{4,11}$/;
const CODE = /^[0-9A-Z][0-9A-Z._/-]{0,14}$/;
/** Shapes of codes of nomenclatures. `LETTER_CODE` is for codes without digits, `NUMBERED_CODE` for codes with digits. */
const LETTER_CODE = /^[A-Z]{1,5}$/;
const NUMBERED_CODE = /^[A-Z._/-]*\d[0-9A-Z._/-]*$/;
const COMMUNE = /^\d[\dAB]\d{3}$/;

const IN_ACTIVITIES = 'taken from the register of activities';
const ONLY_UNKNOWN = 'Organization, when no other file knows the structure';

/** Columns of PS_LibreAcces_Personne_activite. The register has one line for each combination of activity and skill. */
export const ACTIVITY_COLUMNS = [
  maps('idType', "Type d'identifiant PP", 'tells an RPPS number (8) from others', /^\d$/),
  maps('id', 'Identifiant PP', 'Practitioner.identifier (RPPS, where the type is 8)', SHORT_ID),
  {
    ...maps('nationalId', 'Identification nationale PP', 'Practitioner.id, Practitioner.identifier', NATIONAL_ID),
    aliases: ['Identification nationale personne physique'],
  },
  maps('title', "Code civilité d'exercice", 'Practitioner.name.prefix', /^[A-Z]{1,4}$/),
  omits('titleLabel', "Libellé civilité d'exercice", 'the words of the code before it'),
  maps('civility', 'Code civilité', 'Practitioner.name.prefix, without a title', /^[A-Z]{1,4}$/),
  omits('civilityLabel', 'Libellé civilité', 'the words of the code before it'),
  maps('family', "Nom d'exercice", 'Practitioner.name.family', LETTERS),
  maps('given', "Prénom d'exercice", 'Practitioner.name.given', LETTERS),
  maps('profession', 'Code profession', 'Practitioner.qualification (TRE_G15)', NUMBERED_CODE),
  maps('professionLabel', 'Libellé profession', 'Practitioner.qualification', LETTERS),
  maps('category', 'Code catégorie professionnelle', 'Practitioner.qualification (TRE_R09)', LETTER_CODE),
  maps('categoryLabel', 'Libellé catégorie professionnelle', 'Practitioner.qualification', LETTERS),
  maps('skillType', 'Code type savoir-faire', 'system of the skill; TRE_R04', LETTER_CODE),
  maps('skillTypeLabel', 'Libellé type savoir-faire', 'Practitioner.qualification'),
  maps('skill', 'Code savoir-faire', 'Practitioner.qualification, PractitionerRole.specialty', NUMBERED_CODE),
  maps('skillLabel', 'Libellé savoir-faire', 'Practitioner.qualification, PractitionerRole.specialty'),
  maps('mode', 'Code mode exercice', 'PractitionerRole.code (TRE_R23)', LETTER_CODE),
  maps('modeLabel', 'Libellé mode exercice', 'PractitionerRole.code'),
  maps('siret', 'Numéro SIRET site', 'Organization.identifier', /^\d{14}$/),
  maps('siren', 'Numéro SIREN site', 'Organization.identifier', /^\d{9}$/),
  maps('finess', 'Numéro FINESS site', 'Organization.identifier', FINESS_NUMBER),
  maps('legalFiness', 'Numéro FINESS établissement juridique', 'Organization.partOf', FINESS_NUMBER),
  maps(
    'technicalId',
    'Identifiant technique de la structure',
    'Organization.id, Organization.identifier',
    /^[A-Z]?[0-9AB-]{4,}$/,
  ),
  maps('name', 'Raison sociale site', 'Organization.name', LETTERS),
  maps('tradeName', 'Enseigne commerciale site', 'Organization.alias'),
  maps('addressee', 'Complément destinataire (coord. structure)', 'address.line'),
  maps('locality', 'Complément point géographique (coord. structure)', 'address.line'),
  maps('number', 'Numéro Voie (coord. structure)', 'address.line', /\d/),
  maps('numberIndex', 'Indice répétition voie (coord. structure)', 'address.line', /^\p{L}+$/u),
  omits('streetType', 'Code type de voie (coord. structure)', 'its label, the next column, is used'),
  maps('streetTypeLabel', 'Libellé type de voie (coord. structure)', 'address.line', LETTERS),
  maps('street', 'Libellé Voie (coord. structure)', 'address.line', LETTERS),
  maps('mention', 'Mention distribution (coord. structure)', 'address.line'),
  maps('cedex', 'Bureau cedex (coord. structure)', 'address.line', LETTERS),
  maps('postalCode', 'Code postal (coord. structure)', 'address.postalCode', /^\d[\dA-B]\d{3}$/),
  maps('commune', 'Code commune (coord. structure)', 'address.extension (INSEE code, TRE_R13)', COMMUNE),
  maps('city', 'Libellé commune (coord. structure)', 'address.city', LETTERS),
  omits('countryCode', 'Code pays (coord. structure)', 'its label, the next column, is used'),
  maps('country', 'Libellé pays (coord. structure)', 'address.country', LETTERS),
  maps('phone', 'Téléphone (coord. structure)', 'Organization.telecom', PHONE),
  maps('phone2', 'Téléphone 2 (coord. structure)', 'Organization.telecom', PHONE),
  maps('fax', 'Télécopie (coord. structure)', 'Organization.telecom', PHONE),
  maps('mail', 'Adresse e-mail (coord. structure)', 'Organization.telecom', MAIL_ADDRESS),
  omits('departmentCode', 'Code Département (structure)', 'its label, the next column, is used'),
  maps('department', 'Libellé Département (structure)', 'address.district', LETTERS),
  maps(
    'formerId',
    'Ancien identifiant de la structure',
    'Organization.identifier (national identifier of structures)',
    /^\d[0-9A-Z]+$/,
  ),
  omits(
    'authority',
    "Autorité d'enregistrement",
    'names the bodies that keep the line (person, profession, activity), nothing about the professional',
  ),
  maps('sector', "Code secteur d'activité", 'Organization.type (TRE_R02)', NUMBERED_CODE),
  maps('sectorLabel', "Libellé secteur d'activité", 'Organization.type', LETTERS),
  maps('section', 'Code section tableau pharmaciens', 'PractitionerRole.code (TRE_G05)', CODE),
  maps('sectionLabel', 'Libellé section tableau pharmaciens', 'PractitionerRole.code'),
  maps('role', 'Code rôle', 'PractitionerRole.code (TRE_R21)', CODE),
  maps('roleLabel', 'Libellé rôle', 'PractitionerRole.code'),
  maps('genre', 'Code genre activité', 'PractitionerRole.code (TRE_R22)', CODE),
  maps('genreLabel', 'Libellé genre activité', 'PractitionerRole.code'),
];

/** The first columns of the registers of diplomas and of skills, which name the person. */
const PERSON = [
  omits('idType', "Type d'identifiant PP", IN_ACTIVITIES),
  omits('id', 'Identifiant PP', IN_ACTIVITIES, SHORT_ID),
  maps('nationalId', 'Identification nationale PP', 'finds the Practitioner', NATIONAL_ID),
  omits('family', "Nom d'exercice", IN_ACTIVITIES),
  omits('given', "Prénom d'exercice", IN_ACTIVITIES),
] as const;

/** Columns of PS_LibreAcces_Dipl_AutExerc. */
export const DIPLOMA_COLUMNS = [
  ...PERSON,
  maps('diplomaType', 'Code type diplôme obtenu', 'Practitioner.qualification (TRE_R14)', CODE),
  maps('diplomaTypeLabel', 'Libellé type diplôme obtenu', 'Practitioner.qualification'),
  maps('diploma', 'Code diplôme obtenu', 'Practitioner.qualification', CODE),
  maps('diplomaLabel', 'Libellé diplôme obtenu', 'Practitioner.qualification'),
  maps('permitType', 'Code type autorisation', 'Practitioner.qualification (TRE_R17)', CODE),
  maps('permitTypeLabel', 'Libellé type autorisation', 'Practitioner.qualification'),
  maps('field', 'Code discipline autorisation', 'Practitioner.qualification (TRE_R18)', CODE),
  maps('fieldLabel', 'Libellé discipline autorisation', 'Practitioner.qualification'),
];

/** Columns of PS_LibreAcces_SavoirFaire. */
export const SKILL_COLUMNS = [
  ...PERSON,
  omits('profession', 'Code profession', IN_ACTIVITIES),
  omits('professionLabel', 'Libellé profession', IN_ACTIVITIES),
  omits('category', 'Code catégorie professionnelle', IN_ACTIVITIES),
  omits('categoryLabel', 'Libellé catégorie professionnelle', IN_ACTIVITIES),
  maps('skillType', 'Code type savoir-faire', 'system of the skill; TRE_R04', /^[A-Z]{1,5}$/),
  maps('skillTypeLabel', 'Libellé type savoir-faire', 'Practitioner.qualification'),
  maps('skill', 'Code savoir-faire', 'Practitioner.qualification', /\d/),
  maps('skillLabel', 'Libellé savoir-faire', 'Practitioner.qualification'),
];

/** Columns of Extraction_Correspondance_MSSante. */
export const MAILBOX_COLUMNS = [
  maps('type', 'Type de BAL', 'PER: Practitioner.telecom, others: Organization.telecom', /^[A-Z]{2,4}$/),
  maps('address', 'Adresse BAL', 'telecom.value', MAIL_ADDRESS),
  omits('idType', 'Type Identifiant PP', IN_ACTIVITIES),
  omits('id', 'Identifiant PP', IN_ACTIVITIES, SHORT_ID),
  maps('nationalId', 'Identification nationale PP', 'finds the Practitioner', NATIONAL_ID),
  maps('structureIdType', 'Type identifiant structure', 'finds the Organization', /^[A-Z][A-Z_ ]+$/),
  maps('structureId', 'Identification Structure', 'finds the Organization', /\d/),
  maps('service', 'Service de rattachement', 'telecom.extension (service)'),
  omits('title', "Civilité d'exercice", IN_ACTIVITIES),
  omits('family', "Nom d'exercice", IN_ACTIVITIES),
  omits('given', "Prénom d'exercice", IN_ACTIVITIES),
  omits('category', 'Catégorie profession', IN_ACTIVITIES),
  omits('categoryLabel', 'Libellé de catégorie profession', IN_ACTIVITIES),
  omits('profession', 'Code Profession', IN_ACTIVITIES),
  omits('professionLabel', 'Libellé Profession', IN_ACTIVITIES),
  omits('skill', 'Code savoir-faire', IN_ACTIVITIES),
  omits('skillLabel', 'Libellé savoir-faire', IN_ACTIVITIES),
  maps('paperless', 'Dématérialisation', 'telecom.extension (digitization)', /^[ON]$/i),
  maps('name', 'Raison Sociale structure BAL', ONLY_UNKNOWN),
  maps('tradeName', 'Enseigne commerciale structure BAL', ONLY_UNKNOWN),
  maps('locality', 'L2COMPLEMENTLOCALISATION structure BAL', ONLY_UNKNOWN),
  maps('distribution', 'L3COMPLEMENTDISTRIBUTION structure BAL', ONLY_UNKNOWN),
  maps('number', 'L4NUMEROVOIE structure BAL', ONLY_UNKNOWN),
  maps('numberIndex', 'L4COMPLEMENTNUMEROVOIE structure BAL', ONLY_UNKNOWN),
  maps('streetType', 'NL4TYPEVOIE structure BAL', ONLY_UNKNOWN),
  maps('street', 'L4LIBELLEVOIE structure BAL', ONLY_UNKNOWN),
  maps('mention', 'L5LIEUDITMENTION structure BAL', ONLY_UNKNOWN),
  maps('routing', 'L6LIGNEACHEMINEMENT structure BAL', ONLY_UNKNOWN),
  maps('postalCode', 'Code postal structure BAL', ONLY_UNKNOWN),
  omits('department', 'Département structure BAL', 'a number without its label; the postal code begins with it'),
  maps('country', 'Pays structure BAL', ONLY_UNKNOWN),
];

// Index of each column in a row, by the key of the column: `A` for activities, `D` for diplomas, `S` for skills, `M` for mailboxes.
export const A = indexOfColumns(ACTIVITY_COLUMNS);
export const D = indexOfColumns(DIPLOMA_COLUMNS);
export const S = indexOfColumns(SKILL_COLUMNS);
export const M = indexOfColumns(MAILBOX_COLUMNS);
