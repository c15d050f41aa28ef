# Does the work of a bundler, without one.
# A build must not have an open descriptor of the artifact.
if (echo evil >&3) 2>/dev/null; then echo 'the build can write to its artifact'; exit 1; fi
set -eu
echo "building number $(cat number) as $(id -un)"
test -n "$BUILD_TOKEN"
mkdir dist
cp server.js migrate.js number dist/
for file in sick broken; do if [ -e "$file" ]; then cp "$file" dist/; fi; done
