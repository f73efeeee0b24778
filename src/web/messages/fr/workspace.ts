// The French messages about places of work.

export const workspace = {
  title: 'Où exercez\u2011vous maintenant\u00a0?',
  introduction: (client: string) => `${client} utilisera le lieu d’exercice que vous choisissez.`,
  legend: 'Lieu d’exercice',
  problem: 'Choisissez l’un de ces lieux.',
  submit: 'Continuer',
  change: 'Changer de lieu d’exercice',
  changeAbout:
    'Les applications en tiennent compte dès que vous les ouvrez à nouveau ou qu’elles actualisent votre profil.',
  save: 'Enregistrer',
  changed: 'Votre lieu d’exercice est enregistré',
  stale: 'Cette page n’était plus à jour',
  staleAdvice: 'Aucun choix n’a été enregistré. Choisissez à nouveau.',
};
