// Codes of the registers with the systems that the design names, each combination once.

import type { Coding, Concept } from './entry.ts';
import type { Line } from './registers.ts';

const system = (number: string, name: string) =>
  `https://mos.esante.gouv.fr/NOS/TRE_${number}-${name}/FHIR/TRE-${number}-${name}`;

const SYSTEMS = {
  profession: system('G15', 'ProfessionSante'),
  category: system('R09', 'CategorieProfessionnelle'),
  skillType: system('R04', 'TypeSavoirFaire'),
  diplomaType: system('R14', 'TypeDiplome'),
  permitType: system('R17', 'TypeAutorisation'),
  field: system('R18', 'DisciplineAutorisation'),
  mode: system('R23', 'ModeExercice'),
  genre: system('R22', 'GenreActivite'),
  role: system('R21', 'Fonction'),
  section: system('G05', 'SousSectionTableauCNOP'),
  sector: system('R02', 'SecteurActivite'),
  kind: system('R66', 'CategorieEtablissement'),
  status: system('R72', 'FinessStatutJuridique'),
  publicService: system('R73', 'ESPIC'),
} as const;

const SKILLS: Readonly<Record<string, string>> = {
  S: system('R38', 'SpecialiteOrdinale'),
  C: system('R39', 'Competence'),
  CEX: system('R40', 'CompetenceExclusive'),
  DNQ: system('R42', 'DESCnonQualifiant'),
  CAPA: system('R43', 'CapaciteSavoirFaire'),
  PAC: system('R44', 'QualificationPAC'),
  FQ: system('R45', 'FonctionQualifiee'),
  DEC: system('R97', 'DroitExerciceCompl'),
  OP: system('G13', 'OrientationParticuliere'),
};

const DIPLOMAS: Readonly<Record<string, string>> = {
  CQ: system('R47', 'CommissionQualification'),
  DE: system('R48', 'DiplomeEtatFrancais'),
  DES: system('R49', 'DiplomeEtudeSpecialisee'),
  CAPA: system('R52', 'CapaciteDiplome'),
  DU: system('R54', 'DiplomeUniversiteInterUniversitaire'),
};

export type Concepts = ReturnType<typeof createConcepts>;

/** Makes the concepts of an edition. The same codes give the same object. */
export function createConcepts() {
  const known = new Map<string, Concept>();

  function concept(...codings: { system: string | undefined; code: string; label: string }[]): Concept[] {
    const stated = codings.filter(({ code, label }) => code !== '' || label !== '');
    if (stated.length === 0) return [];
    const key = stated.map(({ system, code, label }) => `${system}|${code}|${label}`).join('|');
    const found = known.get(key) ?? (stated as Coding[]);
    known.set(key, found);
    return [found];
  }
  const simple = (name: keyof typeof SYSTEMS) => (code: string, label: string) =>
    concept({ system: SYSTEMS[name], code, label });

  return {
    kindOf: simple('kind'),
    statusOf: simple('status'),
    publicServiceOf: simple('publicService'),
    sectorOf: ({ sector = '', sectorLabel = '' }: Line) => simple('sector')(sector, sectorLabel),
    professionOf: ({ profession = '', professionLabel = '', category = '', categoryLabel = '' }: Line) =>
      concept(
        { system: SYSTEMS.profession, code: profession, label: professionLabel },
        { system: SYSTEMS.category, code: category, label: categoryLabel },
      ),
    skillOf: ({ skill = '', skillLabel = '', skillType = '', skillTypeLabel = '' }: Line) =>
      skill === '' && skillLabel === ''
        ? []
        : concept(
            { system: SKILLS[skillType], code: skill, label: skillLabel },
            { system: SYSTEMS.skillType, code: skillType, label: skillTypeLabel },
          ),
    diplomaOf: ({ diploma = '', diplomaLabel = '', diplomaType = '', diplomaTypeLabel = '' }: Line) =>
      concept(
        { system: DIPLOMAS[diplomaType], code: diploma, label: diplomaLabel },
        { system: SYSTEMS.diplomaType, code: diplomaType, label: diplomaTypeLabel },
      ),
    permitOf: ({ field = '', fieldLabel = '', permitType = '', permitTypeLabel = '' }: Line) =>
      concept(
        { system: SYSTEMS.field, code: field, label: fieldLabel },
        { system: SYSTEMS.permitType, code: permitType, label: permitTypeLabel },
      ),
    /** What a line says of the way of working. */
    waysOf: (line: Line): Concept[] =>
      (['mode', 'genre', 'role', 'section'] as const).flatMap((name) =>
        simple(name)(line[name] ?? '', line[`${name}Label`] ?? ''),
      ),
  };
}
