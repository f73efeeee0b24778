// URLs of code systems, identifier systems and extensions, as the French health terminology server publishes them. The labels of codes are
// not here, because the registers contain them.

/** Makes the URL of a reference terminology (`TRE_`) of the NOS, from its number and name. */
function terminology(number: string, name: string): string {
  return `https://mos.esante.gouv.fr/NOS/TRE_${number}-${name}/FHIR/TRE-${number}-${name}`;
}

export const CODE_SYSTEMS = {
  sector: terminology('R02', 'SecteurActivite'),
  skillType: terminology('R04', 'TypeSavoirFaire'),
  category: terminology('R09', 'CategorieProfessionnelle'),
  commune: terminology('R13', 'Commune'),
  diplomaType: terminology('R14', 'TypeDiplome'),
  profession: terminology('G15', 'ProfessionSante'),
  permitType: terminology('R17', 'TypeAutorisation'),
  field: terminology('R18', 'DisciplineAutorisation'),
  role: terminology('R21', 'Fonction'),
  genre: terminology('R22', 'GenreActivite'),
  mode: terminology('R23', 'ModeExercice'),
  section: terminology('G05', 'SousSectionTableauCNOP'),
  establishmentCategory: terminology('R66', 'CategorieEtablissement'),
  legalStatus: terminology('R72', 'FinessStatutJuridique'),
  publicService: terminology('R73', 'ESPIC'),
  mailType: terminology('R256', 'TypeMessagerie'),
} as const;

/**
 * Code system of a skill, by the type of the skill (TRE_R04). If the type is not in this table, the coding of the skill has no `system`.
 */
export const SKILL_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['S', terminology('R38', 'SpecialiteOrdinale')],
  ['C', terminology('R39', 'Competence')],
  ['CEX', terminology('R40', 'CompetenceExclusive')],
  ['DNQ', terminology('R42', 'DESCnonQualifiant')],
  ['CAPA', terminology('R43', 'CapaciteSavoirFaire')],
  ['PAC', terminology('R44', 'QualificationPAC')],
  ['FQ', terminology('R45', 'FonctionQualifiee')],
  ['DEC', terminology('R97', 'DroitExerciceCompl')],
  ['OP', terminology('G13', 'OrientationParticuliere')],
]);

/**
 * Code system of a diploma, by the type of the diploma (TRE_R14). If the type is not in this table, the coding of the diploma has no
 * `system`.
 */
export const DIPLOMA_SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['CQ', terminology('R47', 'CommissionQualification')],
  ['DE', terminology('R48', 'DiplomeEtatFrancais')],
  ['DES', terminology('R49', 'DiplomeEtudeSpecialisee')],
  ['DESC1', terminology('R50', 'DESCGroupe1Diplome')],
  ['DESC2', terminology('R51', 'DESCGroupe2Diplome')],
  ['CAPA', terminology('R52', 'CapaciteDiplome')],
  ['DEEE', terminology('R53', 'DiplomePaysEEE')],
  ['DU', terminology('R54', 'DiplomeUniversiteInterUniversitaire')],
  ['CES', terminology('R55', 'CertificatEtudeSpeciale')],
  ['ATT', terminology('R56', 'Attestation')],
  ['DEES', terminology('R57', 'DiplomeEuropeenEtudeSpecialisee')],
]);

/** Returns the identifier systems that this service defines itself, under the configured namespace {claim_ns}. */
export function ownIdentifierSystems(namespace: string): { rpps: string; technicalId: string } {
  return {
    rpps: `${namespace}/fhir/Identifier/practitioner-rpps`,
    technicalId: `${namespace}/fhir/Identifier/organization-technical-id`,
  };
}

export const EXTENSIONS = {
  mailType: 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type',
  commune: 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-address-insee-code',
  mailbox: 'https://interop.esante.gouv.fr/ig/fhir/annuaire/StructureDefinition/as-ext-mailbox-mss-metadata',
} as const;
