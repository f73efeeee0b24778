// The French messages of fields and of the controls beside them.

export const form = {
  show: 'Afficher',
  showAbout: 'Afficher le mot de passe',
  copy: 'Copier',
  copied: 'Copié',
};
