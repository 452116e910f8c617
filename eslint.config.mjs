import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '**/lib/**',
      '**/static/**',
      'build/**',
      'dist/**',
      '.venv/**',
      'kernel_side/**'
    ]
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./widgets/tsconfig.json', './labextension/tsconfig.json', './tsconfig.tests.json'],
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ],
      'max-lines': ['error', 500],
      // Lumino's signals take a method and its object.
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: 'error',
      // Labels come from users: they are set as text and never parsed.
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map(property => ({ property }))
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'AssignmentExpression > MemberExpression[property.name=/^(inner|outer)HTML$/]',
          message: 'Labels come from users: set textContent, or build elements.'
        }
      ]
    }
  },
  {
    files: ['**/tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off'
    }
  },
  {
    files: ['**/*.mjs', '*.config.ts'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly' } }
  }
);
